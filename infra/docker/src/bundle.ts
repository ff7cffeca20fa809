// node infra/docker/src/bundle.ts <folder> [image...]: what the images run, one folder for each below <folder>.
import { join, resolve } from 'node:path'
import { bundleImage } from './bundle-image.ts'
import { imageNamed, images } from './images.ts'

const root = resolve(import.meta.dirname, '../../..')
const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) {
  process.stderr.write('Usage: node infra/docker/src/bundle.ts <folder> [image...]\n')
  process.exit(2)
}
for (const image of names.length === 0 ? images : names.map(imageNamed)) {
  const startedMs = Date.now()
  await bundleImage(image, { root, out: join(resolve(folder), image.name) })
  process.stdout.write(`${image.name}: bundled in ${Date.now() - startedMs} ms\n`)
}
