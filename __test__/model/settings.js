/**
 * How long random programs are tried, and from which seed. A failure prints seed and path; given again as
 * CAIRNQ_TEST_SEED and CAIRNQ_TEST_PATH they replay the very program. CAIRNQ_MODEL_SECONDS gives each suite
 * more time than it has by default.
 */
import fc from 'fast-check';

const given = process.env.CAIRNQ_TEST_SEED;

export const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);

/** @param {number} seconds by default */
export function budgetMs(seconds) {
  return Number(process.env.CAIRNQ_MODEL_SECONDS ?? seconds) * 1000;
}

/**
 * Tries programs until the time is over; rejects with the shortest one that fails.
 * @param {string} title
 * @param {fc.Arbitrary<any>} programs
 * @param {(program: any) => Promise<void>} play
 * @param {{ seconds: number }} options
 * @returns {Promise<number>} how many were played
 */
export async function playMany(title, programs, play, { seconds }) {
  let played = 0;
  let current = Promise.resolve();
  console.log(`${title}: CAIRNQ_TEST_SEED=${seed}`);
  const property = fc.asyncProperty(programs, async (program) => {
    played += 1;
    current = play(program);
    await current;
  });
  const path = process.env.CAIRNQ_TEST_PATH;
  await fc.assert(property, {
    seed,
    ...(path === undefined ? {} : { path }),
    numRuns: 1_000_000,
    interruptAfterTimeLimit: budgetMs(seconds),
    markInterruptAsFailure: false,
    endOnFailure: false,
  });
  // The time limit does not wait for the program under way.
  await current;
  return played;
}
