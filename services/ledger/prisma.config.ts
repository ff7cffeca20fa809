import { defineConfig } from 'prisma/config'

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Generating needs no database; without a fallback it would refuse to run where DATABASE_URL is not set.
  datasource: { url: process.env.DATABASE_URL ?? 'postgres://127.0.0.1:5432/turnpike' },
})
