import { dumpToolSuite } from '../../ports/dump-tool.ts';
import { createInMemoryDumpTool } from './dump-tool.ts';

const tool = createInMemoryDumpTool();
let made = 0;

dumpToolSuite('in memory', () => ({
  tool,
  fresh: (service) => {
    made += 1;
    return `${service}-${made}_prod`;
  },
  write: async (database, value) => {
    const notes = tool.databases.get(database)?.notes ?? [];
    tool.databases.set(database, { notes: [...notes, value] });
  },
  read: async (database) => tool.databases.get(database)?.notes ?? [],
  clear: async (database) => void tool.databases.set(database, { notes: [] }),
  remove: async (database) => void tool.databases.delete(database),
}));
