import { defineConfig } from 'vite';

export default defineConfig({
  root: new URL('web', import.meta.url).pathname,
  // The page says where it is mounted; everything else is relative to that.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // What is bundled comes without its own package, and so its licences come with ours.
    license: { fileName: 'THIRD-PARTY.md' },
  },
});
