import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { port, secret, text } from './variable-kinds.ts';

/** Who reads the metrics of a process, and on which address. Each program has a port of its own: they may share a machine. */
const readerSection = {
  METRICS_HOST: text.default('127.0.0.1'),
  /** By which a reader proves who it is: the loopback is no credential, since other users and workloads reach it. */
  METRICS_TOKEN: secret(z.string().min(32, 'at least 32 characters').optional()),
};

/** What the process of HTTP services reads. Without the port nothing listens. */
export const serviceMetricsSection = { ...readerSection, METRICS_PORT: port.optional() };

/** The same for the worker. */
export const workerMetricsSection = { ...readerSection, WORKER_METRICS_PORT: port.optional() };

/** Where a process tells its metrics, and to whom. */
export interface MetricsSettings {
  readonly host: string;
  readonly port: number;
  /** Names the port to whoever has to change it. */
  readonly portVariable: string;
  readonly token: string;
}

type Reader = z.infer<z.ZodObject<typeof readerSection>>;

/** @returns null where nobody is told. @throws VALIDATION_FAILED for a port without a token */
export function metricsSettings(
  { METRICS_HOST: host, METRICS_TOKEN: token }: Reader,
  portVariable: string,
  port: number | undefined,
): MetricsSettings | null {
  if (port === undefined) return null;
  if (token === undefined) {
    const message = `${portVariable} needs METRICS_TOKEN, at least 32 characters, by which the scraper proves who it is`;
    throw new FairleadError('VALIDATION_FAILED', message);
  }
  return { host, port, portVariable, token };
}
