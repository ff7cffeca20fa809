import { expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'
import { readImageUrl } from './read-image-url.ts'

it.each([
  ['https://images.example/a.png?b=c#d', { hostname: 'images.example', isLiteral: false, path: '/a.png?b=c' }],
  ['https://IMAGES.example:443', { hostname: 'images.example', isLiteral: false, path: '/' }],
  ['https://images.example./a', { hostname: 'images.example', isLiteral: false, path: '/a' }],
  ['https://bücher.example/ä', { hostname: 'xn--bcher-kva.example', isLiteral: false, path: '/%C3%A4' }],
  ['https://8.8.8.8/a', { hostname: '8.8.8.8', isLiteral: true, path: '/a' }],
  ['https://[2606:4700::1111]/a', { hostname: '2606:4700::1111', isLiteral: true, path: '/a' }],
])('%s is read as it will be called', (url, expected) => expect(readImageUrl(url)).toEqual(expected))

it.each([
  'http://images.example/',
  'ftp://images.example/',
  'file:///etc/passwd',
  'data:image/png;base64,AA==',
  'https://images.example:8443/',
  'https://images.example:80/',
  'https://user@images.example/',
  'https://user:secret@images.example/',
  'https://localhost/',
  'https://localhost./',
  'https://redis/',
  'https://images..example/',
  'https://images.example../',
  'https://a b.example/',
  'https://',
  '//images.example/',
  'images.example',
  '',
])('%s is never fetched', (url) => expect(readImageUrl(url)).toBeUndefined())

it.each([
  ['https://2130706433/', '127.0.0.1'],
  ['https://0177.0.0.1/', '127.0.0.1'],
  ['https://0x7f.0.0.1/', '127.0.0.1'],
  ['https://0x7f000001/', '127.0.0.1'],
  ['https://127.1/', '127.0.0.1'],
  ['https://127.0.0.1./', '127.0.0.1'],
  ['https://①②⑦.⓪.⓪.①/', '127.0.0.1'],
  ['https://127。0。0。1/', '127.0.0.1'],
  ['https://%31%32%37.0.0.1/', '127.0.0.1'],
  ['https://0xa9fea9fe/', '169.254.169.254'],
  ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['https://[::ffff:a9fe:a9fe]/', '::ffff:a9fe:a9fe'],
])('%s is seen as the address %s that it is, and that is not public', (url, hostname) => {
  expect(readImageUrl(url)).toMatchObject({ hostname, isLiteral: true })
  expect(isPublicAddress(hostname)).toBe(false)
})
