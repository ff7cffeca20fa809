import { get } from 'node:http'

/** Times count from the first attempt; `refused` is how often a 503 made somebody ask again. */
export type DownloadTimes = { firstByteMs: number[]; wholeMs: number[]; bytes: number; refused: number }

/**
 * So many downloads at once, each on a connection of its own. Nobody reads on before everybody has the first byte, so that all of them are
 * in the gateway's hands together; then all read as fast as they can.
 */
export async function measureDownloads(urls: readonly string[], expectedBytes: number): Promise<DownloadTimes> {
  let arrived = 0
  let goOn = (): void => {}
  const everybodyHasBegun = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const times = await Promise.all(
    urls.map((url) =>
      download(url, async () => {
        arrived += 1
        if (arrived === urls.length) goOn()
        await everybodyHasBegun
      }),
    ),
  )
  for (const { bytes } of times) if (bytes !== expectedBytes) throw new Error(`a download has ${bytes} bytes`)
  return {
    firstByteMs: times.map(({ firstByteMs }) => firstByteMs),
    wholeMs: times.map(({ wholeMs }) => wholeMs),
    bytes: times.length * expectedBytes,
    refused: times.reduce((sum, { refused }) => sum + refused, 0),
  }
}

type OneDownload = { firstByteMs: number; wholeMs: number; bytes: number }

async function download(url: string, afterFirstByte: () => Promise<void>): Promise<OneDownload & { refused: number }> {
  const startedAt = performance.now()
  for (let refused = 0; ; refused++) {
    const done = await attempt(url, startedAt, afterFirstByte)
    if (done !== 'refused') return { ...done, refused }
  }
}

function attempt(url: string, startedAt: number, afterFirstByte: () => Promise<void>): Promise<OneDownload | 'refused'> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, async (response) => {
      if (response.statusCode === 503) {
        response.resume()
        return resolve('refused')
      }
      if (response.statusCode !== 200) return reject(new Error(`a download was answered with ${response.statusCode}`))
      let firstByteMs = 0
      let bytes = 0
      try {
        for await (const chunk of response) {
          if (bytes === 0) {
            firstByteMs = performance.now() - startedAt
            await afterFirstByte()
          }
          bytes += (chunk as Buffer).length
        }
        resolve({ firstByteMs, wholeMs: performance.now() - startedAt, bytes })
      } catch (error) {
        reject(error as Error)
      }
    })
    request.on('error', reject)
  })
}
