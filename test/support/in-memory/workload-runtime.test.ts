import { setTimeout as delay } from 'node:timers/promises';
import type { ListeningSocket } from '../../../domain/deploys/listening.ts';
import { workloadRuntimeSuite } from '../../ports/workload-runtime.ts';
import { createInMemoryRegistry, type Program } from './image-registry.ts';
import { createInMemoryNetwork, type Reply } from './network.ts';
import { createInMemoryRuntime } from './workload-runtime.ts';

const image = `registry.example/suite@sha256:${'a'.repeat(64)}`;
const ENDS: Readonly<Record<string, string>> = {
  exit: 'exit code 3',
  oom: 'it ran out of memory, its limit is 256 MiB',
};

const SOCKETS: Readonly<Record<string, ListeningSocket>> = {
  elsewhere: { host: '0.0.0.0', port: 8080 },
  loopback: { host: '127.0.0.1', port: 3000 },
};

/** Behaves as `WORKLOAD_PROGRAM` of the suite does. */
const program: Program = ({ env }, print) => {
  const answer = async (path: string): Promise<Reply> => {
    if (path === '/bad') return { status: 503, body: 'no' };
    if (path === '/big') return { status: 200, body: 'x'.repeat(1_000_000) };
    const [, say, stream = 'out', length] = path.split('/');
    if (say === 'say') print(`${'x'.repeat(Number(length))} said`, stream === 'out' ? 'out' : 'error');
    if (path === '/slow') await delay(400);
    return { status: 200, body: JSON.stringify({ status: 'ok', commit: env.GIT_COMMIT }) };
  };
  const { MODE = '' } = env;
  const socket = SOCKETS[MODE];
  return {
    ...(socket === undefined ? {} : { socket }),
    output: ['says out'],
    errors: ['says err'],
    listener: MODE === 'silent' ? null : answer,
    ended: ENDS[MODE] ?? null,
  };
};

const registry = createInMemoryRegistry();
registry.put(image, program);
const runtime = createInMemoryRuntime({ network: createInMemoryNetwork(), registry });

workloadRuntimeSuite(() => ({
  name: 'docker',
  runtime,
  image,
  cpuMillis: async (workload) => runtime.cpuMillis(workload),
  stop: async (workload) => runtime.stop(workload),
}));
