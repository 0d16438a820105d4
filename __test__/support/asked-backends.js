/** The databases this run covers: both, unless CAIRNQ_TEST_BACKENDS names one. */
export const askedBackends = (process.env.CAIRNQ_TEST_BACKENDS ?? 'sqlite,postgres')
  .split(',')
  .map((name) => name.trim());
