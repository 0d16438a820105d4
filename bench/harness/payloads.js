/** The sizes measured: bytes of the payload's JSON text. */
export const sizes = { '20 B': 20, '1 KB': 1024, '50 KB': 51_200 };

/**
 * A payload whose JSON text is exactly so long.
 * @param {number} bytes
 */
export function payloadOf(bytes) {
  const frame = JSON.stringify({ p: '' }).length;
  return { p: 'x'.repeat(bytes - frame) };
}
