import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { temporalCertificates } from '../../infra/dev/temporal-certificates.ts';
import { toolPath } from '../support/tool-path.ts';
import { dataFolder, parts } from './harness.ts';

const run = promisify(execFile);

/** Sends a signal as an operator does, by the program of Temporal. */
export async function signalWorkflow(workflowId: string, name: string, argument: string): Promise<void> {
  const { ca = '', certificate = '', key = '', serverName = '' } = temporalCertificates(dataFolder()).client;
  await run(await toolPath('temporal'), [
    ...['workflow', 'signal', '--address', (await parts()).temporal?.address ?? ''],
    ...['--tls-ca-path', ca, '--tls-cert-path', certificate, '--tls-key-path', key, '--tls-server-name', serverName],
    ...['--workflow-id', workflowId, '--name', name, '--input', JSON.stringify(argument)],
  ]);
}
