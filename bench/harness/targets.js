/**
 * The figures the project set itself, one for each line of its table. A ratio is ours divided by the other's.
 * @typedef {{ text: string, isMet: (value: number, ratio: number | null) => boolean }} Target
 */

/** @type {(least: number) => Target} */
const ratioAtLeast = (least) => ({
  text: `ratio >= ${least}`,
  isMet: (_, ratio) => ratio !== null && ratio >= least,
});

/** @type {(most: number) => Target} */
const ratioAtMost = (most) => ({
  text: `ratio <= ${most}`,
  isMet: (_, ratio) => ratio !== null && ratio <= most,
});

/** @type {(most: number, unit: string) => Target} */
const atMost = (most, unit) => ({
  text: `<= ${most} ${unit}`,
  isMet: (value) => value <= most,
});

export const targets = {
  drain: {
    sqlite: {
      ceiling: ratioAtLeast(0.8),
      plainjob: ratioAtLeast(3),
      payload: ratioAtLeast(0.7),
      withoutPrefetch: { 64: ratioAtLeast(0.7), 1: ratioAtLeast(0.6) },
    },
    postgres: {
      ceiling: ratioAtLeast(0.7),
      graphileUnbatched: ratioAtLeast(5),
      graphileFastest: ratioAtLeast(0.7),
      graphileOne: ratioAtLeast(5),
      pgBoss: ratioAtLeast(5),
    },
  },
  call: {
    sqliteTwoProcesses: { p50: atMost(2.5, 'ms'), p99: atMost(15, 'ms') },
    sqliteOneProcess: { p50: atMost(1.2, 'ms') },
    postgres: { p50: atMost(2.5, 'ms'), graphile: ratioAtMost(1) },
  },
  startAfterDueP99: atMost(10, 'ms'),
  worstGapWhileDraining: atMost(30, 'ms'),
  javascriptCpuPerTask: atMost(12, 'us'),
  idle: { sqliteCpu: atMost(0.5, '% of a core'), postgresStatements: atMost(4, 'statements/s') },
  claim: { millionToHundred: ratioAtMost(1.5), threeQueuesToOne: ratioAtMost(2) },
  purge: atMost(30, 'ms'),
  submit: { oneByOne: ratioAtLeast(0.9), thirtyTwo: ratioAtLeast(0.7), many: ratioAtLeast(0.8) },
  memory: { most: atMost(200, 'MB'), growth: ratioAtMost(1.1) },
};
