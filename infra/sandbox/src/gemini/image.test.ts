import { Modality } from '@google/genai'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { officialClient } from './official-client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const model = 'gemini-3.1-flash-lite-image'

async function draw(prompt: string, config: Record<string, unknown> = {}) {
  const response = await officialClient(sandbox).models.generateContent({ model, contents: prompt, config })
  const parts = response.candidates?.[0]?.content?.parts ?? []
  const image = parts.find((part) => part.inlineData)?.inlineData
  return { response, parts, image, bytes: Buffer.from(image?.data ?? '', 'base64') }
}

describe('an image answer, read by the official client', () => {
  it('is a PNG of 1024x1024 of a plausible size, with commentary and its price in tokens', async () => {
    const { response, parts, image, bytes } = await draw('a lighthouse')
    expect(image?.mimeType).toBe('image/png')
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(['text', 'inlineData'])
    // The decoder checks every chunk's CRC and inflates all rows.
    const png = PNG.sync.read(bytes, { checkCRC: true })
    expect([png.width, png.height]).toEqual([1024, 1024])
    expect(bytes.length).toBeGreaterThan(200_000)
    expect(bytes.length).toBeLessThan(3_000_000)
    expect(response.usageMetadata?.candidatesTokensDetails).toContainEqual({ modality: 'IMAGE', tokenCount: 1_120 })
  })

  it('is the same for the same prompt and another for another', async () => {
    const [one, again, other] = [await draw('a boat'), await draw('a boat'), await draw('a train')]
    expect(again.bytes.equals(one.bytes)).toBe(true)
    expect(other.bytes.equals(one.bytes)).toBe(false)
  })

  it('has no text part when only IMAGE is asked for, and the size of its aspect ratio', async () => {
    const { parts, bytes } = await draw('a boat', {
      responseModalities: [Modality.IMAGE],
      imageConfig: { aspectRatio: '16:9', imageSize: '1K' },
    })
    expect(parts).toHaveLength(1)
    const png = PNG.sync.read(bytes)
    expect([png.width, png.height]).toEqual([1376, 768])
  })

  it('is refused for sizes, modalities and models that cannot do it', async () => {
    await expect(draw('x', { imageConfig: { imageSize: '4K' } })).rejects.toMatchObject({ status: 400 })
    await expect(draw('x', { responseModalities: [Modality.TEXT] })).rejects.toMatchObject({ status: 400 })
    const onText = officialClient(sandbox).models.generateContent({
      model: 'gemini-2.5-flash',
      contents: 'x',
      config: { responseModalities: [Modality.TEXT, Modality.IMAGE] },
    })
    await expect(onText).rejects.toMatchObject({ status: 400, message: expect.stringContaining('response modalities') })
  })
})

describe('an image in the prompt', () => {
  it('counts by tile and modality', async () => {
    const data = PNG.sync.write(new PNG({ width: 800, height: 600 })).toString('base64')
    const ask = (name: string) =>
      officialClient(sandbox).models.generateContent({
        model: name,
        contents: [{ role: 'user', parts: [{ text: 'look' }, { inlineData: { mimeType: 'image/png', data } }] }],
      })
    const details = (await ask('gemini-2.5-flash')).usageMetadata?.promptTokensDetails
    expect(details).toContainEqual({ modality: 'IMAGE', tokenCount: 516 })
    expect((await ask('gemini-3.5-flash')).usageMetadata?.promptTokensDetails).toContainEqual({
      modality: 'IMAGE',
      tokenCount: 1_120,
    })
  })
})
