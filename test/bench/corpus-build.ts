import { deployRepository } from '../corpus/deploy-repository.ts';
import { nameOf } from '../corpus/report.ts';
import { CORPUS, type CorpusRow } from '../corpus/repositories.ts';
import { median } from './parts/median.ts';

/**
 * The second build of a public repository, after a change of one line, over its first: the median of those of the corpus that
 * go live. What the first build of a machine does once, such as fetching base images, is done before by repositories that do
 * not count. Each image is shown beside the official image that it was built on and the packages that it runs with. Arguments
 * are parts of names and choose some.
 */
export const needsStack = true;

const FIRST = ['render-examples/express-hello-world', 'cloudacademy/static-website-example'];
const LIMIT_MS = 600_000;

const asked = process.argv.slice(2);
const chosen = CORPUS.filter(
  (row) => row.expected === 'live' && (asked.length === 0 ? !isAmong(FIRST, row) : isAmong(asked, row)),
);
if (chosen.length === 0) throw new Error(`no repository that goes live has ${asked.join(' or ')} in its name`);
for (const row of CORPUS.filter((one) => isAmong(FIRST, one))) {
  await deployRepository(row, { twice: false, limitMs: LIMIT_MS });
}

const ratios: number[] = [];
for (const row of chosen) {
  const { firstSeconds, secondSeconds, sizes, wrong } = await deployRepository(row, { twice: true, limitMs: LIMIT_MS });
  if (firstSeconds === null || secondSeconds === null) {
    console.log(`${nameOf(row)}: ${wrong}`);
    continue;
  }
  const { image, base, packages } = sizes ?? { image: 0, base: 0, packages: 0 };
  const size = `${megabytes(image)} MB beside ${megabytes(base)} + ${megabytes(packages)} MB`;
  console.log(
    `${nameOf(row)}: first ${firstSeconds.toFixed(1)} s, second ${secondSeconds.toFixed(1)} s, image ${size}`,
  );
  ratios.push(secondSeconds / firstSeconds);
}
console.log(`${ratios.length} of ${chosen.length} were built twice`);
// A median of the few that went well would be that of a smaller corpus.
if (ratios.length < chosen.length) process.exitCode = 1;
if (ratios.length > 0) console.log(`corpus-build: ${median(ratios).toFixed(2)}`);

function isAmong(parts: readonly string[], row: CorpusRow): boolean {
  return parts.some((part) => nameOf(row).includes(part));
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
