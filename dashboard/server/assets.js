/**
 * The built front end. It is read once and served from memory: 100 KB.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { answer, Refusal } from './answers.js';

const TYPES = /** @type {Record<string, string>} */ ({
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
});

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export class Assets {
  /** @type {Map<string, { body: Buffer, type: string, encoded: Map<string, Promise<Buffer>> }>} */
  #files = new Map();
  #page;

  /** @param {{ basePath: string, title: string }} options */
  constructor({ basePath, title }) {
    const folder = fileURLToPath(new URL('../dist/', import.meta.url));
    for (const file of builtFiles(folder)) {
      const body = readFileSync(folder + file);
      const type = TYPES[extension(file)];
      this.#files.set(file, { body, type, encoded: new Map() });
    }
    const page = this.#files.get('index.html');
    if (!page) throw notBuilt();
    const html = page.body
      .toString()
      .replaceAll('__BASE__', () => escaped(basePath))
      .replaceAll('__TITLE__', () => escaped(title));
    this.#page = { ...page, body: Buffer.from(html), encoded: new Map() };
    this.#files.delete('index.html');
  }

  /** @param {Request} request */
  async page(request) {
    return await send(request, this.#page, 'no-store');
  }

  /**
   * @param {Request} request
   * @param {string} path
   */
  async file(request, path) {
    const file = this.#files.get(path);
    if (!file) throw new Refusal(404, 'not_found', 'no such file');
    // The names carry a hash of what is in them.
    const immutable = path.startsWith('assets/');
    return await send(
      request,
      file,
      immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
  }

  /** @param {string} path */
  has(path) {
    return this.#files.has(path);
  }
}

/**
 * @param {Request} request
 * @param {{ body: Buffer, type: string, encoded: Map<string, Promise<Buffer>> }} file
 * @param {string} caching
 */
async function send(request, { body, type, encoded }, caching) {
  const headers = /** @type {Record<string, string>} */ ({
    'content-type': type,
    'cache-control': caching,
    vary: 'accept-encoding',
  });
  const accepted = request.headers.get('accept-encoding') ?? '';
  for (const [name, compress] of Object.entries(compressors)) {
    if (!new RegExp(`\\b${name}\\b`).test(accepted)) continue;
    const packed = encoded.get(name) ?? compress(body);
    encoded.set(name, packed);
    headers['content-encoding'] = name;
    return answer(new Uint8Array(await packed), { headers });
  }
  return answer(new Uint8Array(body), { headers });
}

/** @param {string} folder */
function builtFiles(folder) {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => TYPES[extension(file)] !== undefined)
      .map((file) => file.replaceAll('\\', '/'));
  } catch {
    throw notBuilt();
  }
}

/** @param {string} file */
function extension(file) {
  return path.extname(file).slice(1);
}

function notBuilt() {
  return new Error('the front end of the dashboard is not built: run `npm run build -w dashboard`');
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
