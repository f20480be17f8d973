import { join } from 'node:path';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { makePrivateFolder } from '../data-folder.ts';
import { projectRoot } from '../project.ts';
import { NODE_FLAGS, residentVariables } from '../runtime-variables.ts';
import { UI_USER } from '../temporal-ui/http-guard.ts';
import { temporalUiServer } from '../tools/temporal-ui-server.ts';
import { definePart } from './embedded-part.ts';
import { TEMPORAL_HOST, temporalVariables } from './temporal.ts';

/** Of whoever looks at the UI. */
export const UI_PASSWORD = 'TEMPORAL_UI_PASSWORD';

/** The web UI of the embedded Temporal, behind a password. */
export const temporalUi = definePart({
  name: 'temporal-ui',
  title: 'Temporal UI',
  tools: [temporalUiServer],
  ports: { temporalUi: { usual: 8233, variable: 'FAIRLEAD_TEMPORAL_UI_PORT', title: 'the Temporal UI' } },
  folder: 'temporal-ui',
  secrets: [UI_PASSWORD],
  replacedBy: 'TEMPORAL_ADDRESS',
  replacedWith: [],
  starts: 'always',
  provides: [],
  addresses: (ports) => ({ 'temporal-ui': `http://${TEMPORAL_HOST}:${ports.temporalUi}` }),
  credentials: ({ ports, secret }) => ({
    address: `http://${TEMPORAL_HOST}:${ports.temporalUi}`,
    user: UI_USER,
    password: secret(UI_PASSWORD),
  }),
  addressOutside: () => null,
  children: (tool, context) => {
    const { dataDir, ports, secret, env } = context;
    const folder = join(dataDir, 'temporal-ui');
    return [
      {
        name: 'temporal-ui',
        command: process.execPath,
        args: [...NODE_FLAGS, join(projectRoot, 'infra', 'dev', 'temporal-ui', 'main.ts')],
        environment: 'own',
        env: {
          ...baseEnv(env),
          ...residentVariables(env),
          ...temporalVariables(context),
          TEMPORAL_UI_PORT: String(ports.temporalUi),
          TEMPORAL_UI_PASSWORD: secret(UI_PASSWORD),
          TEMPORAL_UI_PROGRAM: tool.path,
          TEMPORAL_UI_FOLDER: folder,
        },
        exitsBy: 'ipc',
        ready: { kind: 'http', url: `http://${TEMPORAL_HOST}:${ports.temporalUi}/`, status: 401 },
        readyTimeoutMs: 60_000,
        graceMs: 5_000,
        beforeStart: () => makePrivateFolder(folder),
      },
    ];
  },
});
