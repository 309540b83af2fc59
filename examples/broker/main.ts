/**
 * The program of `npm start`: run.ts, or a word about what has to be there first. Only what is
 * imported late can be missed with a word.
 */
try {
  await import('./run.ts');
} catch (error) {
  if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  console.error(
    `${(error as Error).message}\nIn a clone, \`npm ci\` and then \`npm run build\` make what is missing.`,
  );
  process.exitCode = 1;
}
