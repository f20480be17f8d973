import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { SERVICE_ROWS } from '../../domain/services.ts';
import { projectRoot } from '../dev/project.ts';
import { IMAGE_PROCESSES, type ImageProcess } from '../image/image-processes.ts';

/** The chart's copy of the table of processes. `node infra/kubernetes/chart-processes.ts` writes it; a test holds it. */
export const CHART_PROCESSES = join(projectRoot, 'infra', 'kubernetes', 'chart', 'files', 'processes.yaml');

/** Keys of the Secret that a process is given where they are there, besides those that it must have. */
const MAY_HAVE: Readonly<Record<string, readonly string[]>> = {
  idp: ['SMTP_URL'],
  builder: ['OBJECT_STORE_LINK_ACCESS_KEY', 'OBJECT_STORE_LINK_SECRET_KEY'],
  monitor: ['SMTP_URL'],
  worker: [
    ...[
      'SMTP_URL',
      'DOCKER_REGISTRY_USER',
      'DOCKER_REGISTRY_TOKEN',
      'OBJECT_STORE_ACCESS_KEY',
      'OBJECT_STORE_SECRET_KEY',
    ],
  ],
};

/** Variables whose value is a setting of the chart, by the process that reads them; each service has what every service has. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  idp: ['PLATFORM_NAME', 'MAIL_FROM'],
  builder: ['PLATFORM_DOMAIN', 'EDGE_PORT', 'ENABLE_K8S_DEPLOY', 'objectStore'],
  monitor: ['PLATFORM_NAME', 'PLATFORM_DOMAIN'],
  worker: [
    ...['PLATFORM_NAME', 'MAIL_FROM', 'PLATFORM_DOMAIN', 'EDGE_PORT', 'ENABLE_K8S_DEPLOY', 'objectStore', 'cluster'],
    'DOCKER_REGISTRY',
  ],
  edge: ['PLATFORM_DOMAIN', 'DOCKER_REGISTRY'],
};

export function chartProcesses(): string {
  const processes = IMAGE_PROCESSES.map(rowOf);
  const urls = SERVICE_ROWS.map(({ name, baseUrlVariable: variable, defaultPort: port }) => ({ name, variable, port }));
  const comment =
    '# Written by infra/kubernetes/chart-processes.ts from the tables of services and processes: change those.\n';
  return `${comment}${stringify({ processes, urls }, { lineWidth: 0 })}`;
}

function rowOf(process: ImageProcess) {
  const { name, health, ports, secrets, program } = process;
  const row = SERVICE_ROWS.find((one) => one.name === name);
  return {
    name,
    title: process.title,
    isService: row !== undefined,
    health,
    metricsVariable: process.metricsVariable ?? '',
    ports: Object.entries(ports).map(([variable, port]) => ({ variable, port, name: portName(variable) })),
    secrets: [...(name === 'worker' || row?.database != null ? ['MONGODB_URI'] : []), ...secrets],
    mayHave: MAY_HAVE[name] ?? [],
    settings: SETTINGS[name] ?? [],
    usesTemporal: name !== 'edge',
    data: process.sharedFolders.length > 0 ? 'shared' : process.ownFolders.length > 0 ? 'own' : 'none',
    mostReplicas: process.mostReplicas ?? 100,
    graceSeconds: Math.ceil(program.graceMs / 1_000),
  };
}

function portName(variable: string): string {
  return variable === 'EDGE_TLS_PORT' ? 'https' : 'http';
}

if (import.meta.main) await writeFile(CHART_PROCESSES, chartProcesses());
