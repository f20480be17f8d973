import { z } from 'zod';
import { variableName } from './name-schemas.ts';
import { scalar } from './schema-kinds.ts';
import { isInsidePath } from './source-path.ts';

/** Annotations of a catalog (spec 2, "Catalog file"). Each message completes the sentence "expected …, found …". */

const PORT = 'a port from 1 to 65535';
const port = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number),
    ],
    { error: PORT },
  )
  .pipe(z.int({ error: PORT }).min(1, { error: PORT }).max(65_535, { error: PORT }));

const VERSION = 'a version such as 0.6.0';
const version = z
  .union([z.string(), z.number()], { error: VERSION })
  .transform((value) =>
    String(value)
      .replace(/^v/, '')
      .replace(/^(\d+\.\d+)$/, '$1.0'),
  )
  .pipe(z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/, { error: VERSION }));

const HEALTH = 'a path that begins with one /, without blanks, backslashes and control characters';
const INSIDE = 'a path inside the app, relative and without ..';
const OUTPUT = 'a folder inside the app, relative, of letters, digits, dots, dashes and slashes';
const COMMAND = 'one line of at most 1000 characters';
const commandLine = z
  .string({ error: COMMAND })
  .trim()
  .regex(/^[^\n\r\0]{1,1000}$/, { error: COMMAND });
const NODE = 'a version of Node.js such as 22 or 22.x';
const nodeVersion = z
  .union([z.string(), z.number()], { error: NODE })
  .transform((value) => String(value).trim().replace(/^v/, ''))
  .pipe(z.string().regex(/^\d{1,3}(?:\.(?:\d{1,4}|x)){0,2}$/, { error: NODE }));
const MANAGER = 'npm, yarn, pnpm or bun, and after an @ its version, such as pnpm@10.20.0';
const FOLDER =
  'absolute folders of the container separated by commas, such as /app/data, and none of /proc, /sys, /dev, /etc';
const MAX_WRITABLE_PATHS = 16;
const isFolder = (path: string): boolean =>
  /^(?:\/[A-Za-z0-9._@+-]+)+$/.test(path) && !/\/\.{1,2}(?:\/|$)|^\/(?:proc|sys|dev|etc)(?:\/|$)/.test(path);

const commaList = (error: string) =>
  z
    .union([z.string(), z.array(z.string())], { error })
    .transform((value) => (Array.isArray(value) ? value : value.split(/[\s,]+/)).filter((item) => item !== ''));

export const annotations = z.object(
  {
    'platform.io/catalog-version': version.nullish().describe('Version of this format; 0.6.0 is the current one'),
    'platform.io/pod-tier': scalar
      .nullish()
      .describe('nano (default), small, medium, large or xlarge: CPU, memory and gas'),
    'platform.io/health-endpoint': z
      .string({ error: HEALTH })
      .regex(/^\/(?!\/)[^\s\\\p{Cc}]*$/u, { error: HEALTH })
      .nullish()
      .describe(
        'Path that must answer 2xx before traffic reaches a release; without it any answer below 500 at the default, or at /, will do',
      ),
    'platform.io/port': port
      .nullish()
      .describe(
        'Port the service listens on, given to it in PORT; without it 3000, and where it listens elsewhere that port is found',
      ),
    'platform.io/env-vars': commaList('variable names separated by commas')
      .pipe(z.array(variableName))
      .nullish()
      .describe('Names, separated by commas, of variables that the image build sees in .env.production'),
    'platform.io/memory-request': scalar
      .nullish()
      .describe('Memory that is set aside, such as 128Mi; from 64Mi to the limit of the tier'),
    'platform.io/cpu-request': scalar
      .nullish()
      .describe('CPU that is set aside, such as 100m; from 10m to the limit of the tier'),
    'platform.io/framework': scalar
      .nullish()
      .describe('express, fastify, hono, nextjs or static; without it the framework is inferred'),
    'platform.io/dockerfile': z
      .string({ error: INSIDE })
      .refine(isInsidePath, { error: INSIDE })
      .nullish()
      .describe('Container file of your own, from the folder of the app'),
    'platform.io/node-version': nodeVersion
      .nullish()
      .describe('Version of Node.js, such as 22, in the place of what was found'),
    'platform.io/package-manager': z
      .string({ error: MANAGER })
      .regex(/^(?:npm|yarn|pnpm|bun)(?:@\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[\w.]{1,40})?)?$/, { error: MANAGER })
      .nullish()
      .describe('npm, yarn, pnpm or bun, and after an @ its version, in the place of what was found'),
    'platform.io/install-command': commandLine
      .nullish()
      .describe('Shell command that installs packages, in the place of what was found'),
    'platform.io/build-command': commandLine
      .nullish()
      .describe('Shell command that builds, in the place of what was found'),
    'platform.io/start-command': commandLine
      .nullish()
      .describe('Shell command that starts the service, in the place of what was found'),
    'platform.io/output-folder': z
      .string({ error: OUTPUT })
      .refine((path) => isInsidePath(path) && /^[\w.@][\w./@-]*$/.test(path), { error: OUTPUT })
      .nullish()
      .describe('Folder of the built site, from the folder of the app'),
    'platform.io/writable-paths': commaList(FOLDER)
      .pipe(
        z
          .array(z.string().refine(isFolder, { error: FOLDER }))
          .max(MAX_WRITABLE_PATHS, { error: `at most ${MAX_WRITABLE_PATHS} folders` }),
      )
      .nullish()
      .describe(
        'Folders of the container, separated by commas, that the service writes to; empty at its start, lost at its end',
      ),
  },
  { error: 'a mapping of annotations' },
);

/** Those of the platform; other tools have annotations of their own. */
export const KNOWN_ANNOTATIONS: ReadonlySet<string> = new Set(Object.keys(annotations.shape));
