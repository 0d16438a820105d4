/**
 * @typedef {{ [NATIVE](): import('../native.cjs').NativeStore }} Backed
 */

/** Gives the native store behind a store; on a symbol, so that a Proxy around a store works too. */
export const NATIVE = Symbol('native store');

/** Tells whether a store has its native store yet, which its first use makes. */
export const IS_USED = Symbol('native store is made');
