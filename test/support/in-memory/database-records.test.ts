import { databaseRecordsSuite } from '../../ports/database-records.ts';
import { createInMemoryDatabaseRecords } from './database-records.ts';

const records = createInMemoryDatabaseRecords();
databaseRecordsSuite(() => records);
