import { databaseServerSuite } from '../../ports/database-server.ts';
import { createInMemoryDatabaseServer } from './database-server.ts';

const memory = createInMemoryDatabaseServer();
databaseServerSuite('in memory', () => memory);
