import { z } from 'zod';
import { configChangedSchema } from '../../domain/config/config-schema.ts';
import { variableNameSchema } from '../../domain/config/variable-names.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { MEMBERS } from '../members.ts';
import { defineAction } from '../page.ts';
import { type Platform, pathOf } from '../platform/platform.ts';
import { configPath, serviceParams } from './config-page.ts';

/** Of a form: `all`, or the one that a value is for. */
const scopeSchema = z.union([z.literal('all').transform(() => null), environmentSchema]);
const NEXT = 'What runs keeps its values until the next deploy.';

async function change(platform: Platform, service: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  const { warnings } = await platform.send(
    'builder',
    'PATCH',
    pathOf('services', service, 'config'),
    configChangedSchema,
    { body },
  );
  return [NEXT, ...warnings].join(' ');
}

export const setVariable = defineAction({
  module: 'config',
  path: '/services/:name/config/set',
  summary: 'Sets a variable or secret of a service',
  callers: MEMBERS,
  params: serviceParams,
  body: z.strictObject({
    name: z.string().trim().pipe(variableNameSchema),
    value: z.string().max(32_768),
    environment: scopeSchema,
    kind: z.enum(['secret', 'plain']),
  }),
  // A secret that was typed is typed again.
  secrets: ['value'],
  back: ({ name }) => `${configPath(name)}#set`,
  run: async ({ platform, params, body: { name, value, environment, kind } }) => {
    // A browser sends the ends of lines as CR LF.
    const values = { [name]: value.replaceAll('\r\n', '\n') };
    const warnings = await change(platform, params.name, {
      environment,
      ...(kind === 'secret' ? { secrets: values } : { set: values }),
    });
    return { to: configPath(params.name), notice: `${name} is stored. ${warnings}` };
  },
});

export const unsetVariable = defineAction({
  module: 'config',
  path: '/services/:name/config/unset',
  summary: 'Removes a variable or secret of a service',
  callers: MEMBERS,
  params: serviceParams,
  body: z.strictObject({ name: variableNameSchema, environment: scopeSchema }),
  back: ({ name }) => configPath(name),
  run: async ({ platform, params, body: { name, environment } }) => {
    const warnings = await change(platform, params.name, { environment, unset: [name] });
    return { to: configPath(params.name), notice: `${name} is removed. ${warnings}` };
  },
});
