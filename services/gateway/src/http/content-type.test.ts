import { expect, it } from 'vitest'
import { isForm, takesJson } from './content-type.ts'

it.each([
  'application/json',
  'Application/JSON',
  ' application/json ',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=utf8',
  'application/json; profile=x; charset=utf-8',
])('takes %j, with a body and without', (contentType) => {
  expect(takesJson(contentType, false)).toBe(true)
  expect(takesJson(contentType, true)).toBe(true)
})

it.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/json5',
  'application/vnd.api+json',
  'text/json',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'application/json, text/plain',
  'json',
  ';',
])('refuses %j, with a body and without', (contentType) => {
  expect(takesJson(contentType, false)).toBe(false)
  expect(takesJson(contentType, true)).toBe(false)
})

it.each([undefined, '', ' '])('takes an empty body without a type (%j), and no other', (contentType) => {
  expect(takesJson(contentType, true)).toBe(true)
  expect(takesJson(contentType, false)).toBe(false)
})

it.each(['multipart/form-data', 'multipart/form-data; boundary=x', ' Multipart/Form-Data ;boundary=x', 'multipart/form-data;'])(
  'takes %j for a form',
  (contentType) => {
    expect(isForm(contentType)).toBe(true)
  },
)

it.each(['application/json', 'multipart/form-data2', 'multipart/mixed; a=multipart/form-data', 'x multipart/form-data', '', ';'])(
  'takes %j for no form',
  (contentType) => {
    expect(isForm(contentType)).toBe(false)
  },
)
