import { backupStoreSuite, restoreStoreSuite } from '../../ports/backup-stores.ts';
import { createInMemoryBackupStore, createInMemoryRestoreStore } from './backup-stores.ts';

const backups = createInMemoryBackupStore();
const restores = createInMemoryRestoreStore();

backupStoreSuite(() => backups);
restoreStoreSuite(() => restores);
