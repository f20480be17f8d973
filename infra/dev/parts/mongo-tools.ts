import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../data-folder.ts';
import { mongorestoreBeside, mongoTools as tool } from '../tools/mongo-tools.ts';
import { definePart } from './embedded-part.ts';

const FOLDER = 'mongo-tools';

/**
 * The programs by which the worker backs up MongoDB. Nothing of it runs by itself: when the worker asks for it, links to
 * the programs stand in the folder that the worker knows, wherever they were found.
 */
export const mongoTools = definePart({
  name: 'mongo-tools',
  title: 'MongoDB database tools',
  tools: [tool],
  ports: {},
  folder: FOLDER,
  secrets: [],
  replacedBy: 'MONGO_TOOLS_DIR',
  replacedWith: [],
  starts: 'on first need',
  provides: [{ variable: 'MONGO_TOOLS_DIR', heldBy: 'worker', value: ({ dataDir }) => join(dataDir, FOLDER) }],
  addresses: () => ({}),
  credentials: () => ({}),
  children: async ({ path }, { dataDir }) => {
    const home = join(dataDir, FOLDER);
    await makePrivateFolder(home);
    await link(path, join(home, 'mongodump'));
    await link(await mongorestoreBeside(path), join(home, 'mongorestore'));
    return [];
  },
});

/** There is always a link of that name, to the one program or the other. */
async function link(program: string, path: string): Promise<void> {
  const next = `${path}.next`;
  await rm(next, { force: true });
  await symlink(program, next);
  await rename(next, path);
}
