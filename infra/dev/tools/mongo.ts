import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fetch } from 'undici';
import { projectRoot } from '../project.ts';
import { copyJars, probeLauncher, requireJava, writeLauncher } from './java.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

const MONGOD_VERSION = '7.0.24';
const DOWNLOAD_HOST = 'https://fastdl.mongodb.org';
const STAND_IN_VERSION = '1.47.0';
const sourceFolder = join(projectRoot, 'infra/dev/mongo-stand-in');
const sources = readdirSync(sourceFolder).filter((name) => name.endsWith('.java'));
// After load the heap gets as small again as what is in use.
const JAVA_FLAGS = [
  ...['-Xmx384m', '-Xmn64m', '-XX:MinHeapFreeRatio=10', '-XX:MaxHeapFreeRatio=30'],
  ...['-XX:+UseSerialGC', '-Dslf4j.internal.verbosity=ERROR'],
];

/** MongoDB itself, run as a replica set of one member. */
export const mongod: Tool = {
  name: 'mongod',
  title: 'MongoDB',
  version: MONGOD_VERSION,
  file: 'mongod',
  variable: 'FAIRLEAD_MONGOD',
  onPath: ['mongod'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const version = /db version v(\d+)(\.\d+\.\d+)/.exec(output);
    if (!version || Number(version[1]) < 6) throw new Error(`needs MongoDB 6 or later: ${output.slice(0, 80).trim()}`);
    return `${version[1]}${version[2]}`;
  },
  ways: [
    { name: 'official download', usual: '20 to 90 s', obtain: downloadMongod, pauseAfterFailureMs: 24 * 3_600_000 },
  ],
  byHand:
    'install MongoDB 6 or later and put mongod on PATH, set FAIRLEAD_MONGOD to its path, or MONGODB_URI to a server',
};

/** What serves the MongoDB protocol where no mongod can be had. */
export const mongoStandIn: Tool = {
  name: 'mongo-stand-in',
  title: 'MongoDB stand-in',
  // What is ours of it is part of its version.
  version: `${STAND_IN_VERSION}-${ownVersion()}`,
  file: 'mongo-stand-in',
  variable: 'FAIRLEAD_MONGO_STAND_IN',
  onPath: [],
  probe: async (path) => {
    await probeLauncher(path);
    return `stand-in ${STAND_IN_VERSION}`;
  },
  ways: [
    {
      name: 'Maven artifacts',
      usual: '20 s',
      obtain: async (folder) => {
        await requireJava();
        await copyJars(folder, [
          { group: 'de.bwaldvogel', artifact: 'mongo-java-server-h2-backend', version: STAND_IN_VERSION },
        ]);
        await mkdir(join(folder, 'classes'));
        const copies = sources.map((name) => join(folder, name));
        for (const copy of copies) await copyFile(join(sourceFolder, basename(copy)), copy);
        const jars = join(folder, 'lib', '*');
        await runProgram('javac', ['-cp', jars, '-d', join(folder, 'classes'), ...copies]);
        await writeLauncher(join(folder, 'mongo-stand-in'), JAVA_FLAGS, 'MongoStandIn');
      },
    },
  ],
  byHand: 'install a JDK 11 or later and Maven, or any MongoDB 6 or later (see MongoDB above)',
  limits: 'no transactions, no change streams; one file, for development only',
};

function ownVersion(): string {
  const hash = createHash('sha256').update(JAVA_FLAGS.join(' '));
  for (const name of sources.toSorted()) hash.update(name).update(readFileSync(join(sourceFolder, name)));
  return hash.digest('hex').slice(0, 8);
}

/** Uses the downloader of mongodb-memory-server-core, which knows MongoDB's archives for every system. */
async function downloadMongod(folder: string): Promise<void> {
  await fetch(DOWNLOAD_HOST, { method: 'HEAD', signal: AbortSignal.timeout(4_000) }).catch((error: Error) => {
    throw new Error(`${DOWNLOAD_HOST} cannot be reached`, { cause: error });
  });
  const script = `const { MongoBinary } = require('mongodb-memory-server-core');
    const { renameSync } = require('node:fs');
    MongoBinary.getPath({ version: '${MONGOD_VERSION}', downloadDir: process.argv[1], checkMD5: true })
      .then((path) => renameSync(path, require('node:path').join(process.argv[1], 'mongod')))
      .catch((error) => { console.error(error.message); process.exit(1); });`;
  await runProgram(process.execPath, ['-e', script, folder], {
    cwd: projectRoot,
    env: {
      // The downloader checks certificates only when npm is told to be strict.
      npm_config_strict_ssl: 'true',
      MONGOMS_MAX_RETRIES: '1',
      MONGOMS_PREFER_GLOBAL_PATH: 'false',
      MONGOMS_RUNTIME_DOWNLOAD: 'true',
    },
  });
}
