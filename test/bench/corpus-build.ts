import { deployRepository } from '../corpus/deploy-repository.ts';
import { nameOf } from '../corpus/report.ts';
import { CORPUS } from '../corpus/repositories.ts';
import { median } from './parts/median.ts';

/**
 * The second build of a public repository, after a change of one line, over its first: the median of one that installs,
 * compiles or bundles for each framework. What the first build of a machine does once, such as fetching base images, is done
 * before by a repository that does not count. Arguments are parts of names and choose others.
 */
export const needsStack = true;

const CHOSEN = [
  'railwayapp-templates/expressjs',
  'railwayapp-templates/fastify',
  'templates/nodejs',
  'render-examples/nextjs-hello-world',
  'withastro/blog-tutorial-demo',
];
const FIRST = ['render-examples/express-hello-world', 'cloudacademy/static-website-example'];
const LIMIT_MS = 600_000;

const asked = process.argv.slice(2);
for (const row of rowsOf(FIRST)) await deployRepository(row, { twice: false, limitMs: LIMIT_MS });

const ratios: number[] = [];
for (const row of rowsOf(asked.length === 0 ? CHOSEN : asked)) {
  const { firstSeconds, secondSeconds, wrong } = await deployRepository(row, { twice: true, limitMs: LIMIT_MS });
  if (firstSeconds === null || secondSeconds === null) throw new Error(`${nameOf(row)}: ${wrong}`);
  console.log(`${nameOf(row)}: first ${firstSeconds.toFixed(1)} s, second ${secondSeconds.toFixed(1)} s`);
  ratios.push(secondSeconds / firstSeconds);
}
console.log(`corpus-build: ${median(ratios).toFixed(2)}`);

function rowsOf(parts: readonly string[]) {
  return parts.flatMap((part) => {
    const rows = CORPUS.filter((row) => nameOf(row).includes(part));
    if (rows.length === 0) throw new Error(`no repository of the corpus has ${part} in its name`);
    return rows;
  });
}
