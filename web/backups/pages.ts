import type { WebModule } from '../page.ts';
import { backupActions } from './actions.ts';
import { backupPage } from './backup-page.ts';
import { databasesPage } from './databases-page.ts';
import { healthPage } from './health-page.ts';
import { keptPage } from './kept-page.ts';
import { restorePage } from './restore-page.ts';

/** Databases as people see them: how they are backed up, their backups and restores. */
export const backups: WebModule = {
  pages: [healthPage, keptPage, databasesPage, backupPage, restorePage],
  actions: backupActions,
};
