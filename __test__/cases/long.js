/** Whether the cases run at the size the page gives them (CAIRNQ_TEST_LONG=1) or at one that fits every run. */
const long = process.env.CAIRNQ_TEST_LONG === '1';

/** @param {{ short: number, long: number }} sizes */
export const sized = (sizes) => (long ? sizes.long : sizes.short);
