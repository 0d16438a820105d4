/** Certificates for a test's server, made with openssl where the machine has it. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

function openssl(...args) {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

/** Why there are no certificates, if there are none. */
export const missing = (() => {
  try {
    openssl('version');
    return undefined;
  } catch {
    return 'openssl is not installed';
  }
})();

/** A directory of authorities and what they have signed. */
export class Certificates {
  #home = mkdtempSync(path.join(tmpdir(), 'cairnq-tls-'));

  remove() {
    rmSync(this.#home, { recursive: true, force: true });
  }

  #file(name) {
    return path.join(this.#home, name);
  }

  /** An authority; `file` is what a client trusts. */
  authority(name) {
    const [key, certificate] = [this.#file(`${name}.key`), this.#file(`${name}.crt`)];
    const subject = `/CN=${name}`;
    const usage = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl(
      'req',
      '-x509',
      ...pair,
      '-subj',
      subject,
      '-days',
      '2',
      ...usage,
      '-keyout',
      key,
      '-out',
      certificate,
    );
    return { key, certificate, file: certificate };
  }

  /** A certificate that is its own root, as `openssl req -x509` makes it: it says that it is an authority. */
  selfSigned(name, alternatives) {
    const [key, certificate] = [this.#file(`${name}-self.key`), this.#file(`${name}-self.crt`)];
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${alternatives}`];
    openssl('req', '-x509', ...pair, ...names, '-days', '2', '-keyout', key, '-out', certificate);
    return {
      file: certificate,
      key: readFileSync(key, 'utf8'),
      certificate: readFileSync(certificate, 'utf8'),
    };
  }

  /** A home directory in which libpq finds this authority by itself. */
  home(authority) {
    const home = this.#file(`home-${path.basename(authority.file, '.crt')}`);
    mkdirSync(path.join(home, '.postgresql'), { recursive: true });
    copyFileSync(authority.file, path.join(home, '.postgresql', 'root.crt'));
    return home;
  }

  /** A home directory without any. */
  get emptyHome() {
    return this.#home;
  }

  /** A server's or a client's certificate, with the names it is valid for. */
  signed(authority, name, alternatives) {
    const [key, request, certificate, extensions] = ['key', 'csr', 'crt', 'ext'].map((kind) =>
      this.#file(`${name}-${this.#serial()}.${kind}`),
    );
    const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', ...pair, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
    writeFileSync(
      extensions,
      alternatives ? `subjectAltName=${alternatives}\n` : 'basicConstraints=CA:FALSE\n',
    );
    const signer = ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      request,
      ...signer,
      '-days',
      '2',
      '-extfile',
      extensions,
      '-out',
      certificate,
    );
    return {
      keyFile: key,
      certificateFile: certificate,
      key: readFileSync(key, 'utf8'),
      certificate: readFileSync(certificate, 'utf8'),
    };
  }

  #count = 0;

  #serial() {
    return Math.floor(this.#count++ / 4);
  }
}
