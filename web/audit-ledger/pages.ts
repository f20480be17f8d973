import type { WebModule } from '../page.ts';
import { anchorsPage } from './anchors-page.ts';
import { eventDetailPage } from './event-page.ts';
import { ledgerPage } from './ledger-page.ts';
import { verificationPage, verifyActions } from './verify.ts';

export const auditLedger: WebModule = {
  pages: [ledgerPage, anchorsPage, eventDetailPage, verificationPage],
  actions: verifyActions,
};
