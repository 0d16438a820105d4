import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.js'],
    globalSetup: ['__test__/support/global-setup.js', '__test__/support/dashboard-build.js'],
    reporters: ['default', './__test__/support/backend-count-reporter.js'],
    // Native threads, process.exit and signals are part of what is tested: each file has its own process.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
