import { proxyActivities } from '@temporalio/workflow';
import type { CertificatesActivities } from '../../../activities/custom-domains/certificates/index.ts';
import { moduleTaskQueue } from '../../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('certificates');
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/** Asks an authority that may be away for days: the workflow says so after half an hour, and asks again later. */
export const { placeCertificateOrder, fulfilCertificateOrder } = proxyActivities<
  Pick<CertificatesActivities, 'placeCertificateOrder' | 'fulfilCertificateOrder'>
>({
  taskQueue,
  startToCloseTimeout: '15m',
  scheduleToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '5s', backoffCoefficient: 3, maximumInterval: '15m' },
});

/** Short calls that must succeed once a worker is there. */
export const { readCertificate, removeCertificateFiles, forgetCertificate } = proxyActivities<
  Pick<CertificatesActivities, 'readCertificate' | 'removeCertificateFiles' | 'forgetCertificate'>
>({
  taskQueue,
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '10d',
  retry,
});

/** A disk that is full holds no certificate up unseen: the workflow says why it is not delivered, tells operators, and tries again. */
export const { deliverCertificate } = proxyActivities<Pick<CertificatesActivities, 'deliverCertificate'>>({
  taskQueue,
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '15m',
  retry,
});

/** While somebody waits for it, who has waited for the workflow before: 25 seconds in all. */
export const { removeCertificateFiles: removeFilesSoon } = proxyActivities<
  Pick<CertificatesActivities, 'removeCertificateFiles'>
>({ taskQueue, startToCloseTimeout: '12s', scheduleToCloseTimeout: '12s', retry });

/** A mail server that is away holds no certificate: the line of the log is there, and the next look tells again. */
export const { tellNotServed } = proxyActivities<Pick<CertificatesActivities, 'tellNotServed'>>({
  taskQueue,
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '15m',
  retry,
});

/** Looks that are repeated soon anyway. */
export const { checkServed, readRenewalTime } = proxyActivities<
  Pick<CertificatesActivities, 'checkServed' | 'readRenewalTime'>
>({
  taskQueue,
  startToCloseTimeout: '2m',
  scheduleToCloseTimeout: '30m',
  heartbeatTimeout: '10s',
  retry: { ...retry, maximumAttempts: 5 },
});
