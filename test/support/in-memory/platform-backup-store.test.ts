import { platformBackupStoreSuite } from '../../ports/platform-backup-store.ts';
import { createInMemoryPlatformBackupStore } from './platform-backup-parts.ts';

platformBackupStoreSuite(async () => createInMemoryPlatformBackupStore());
