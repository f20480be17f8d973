import { z } from 'zod';
import { putServiceBodySchema } from '../catalog/service-schema.ts';
import { EXAMPLE_FILES, SETTINGS_FILE } from '../catalog/variables-file.ts';
import { environmentSchema } from '../environment-schema.ts';
import { serviceNameSchema } from '../service-name.ts';
import { RUNTIMES } from './runtime-capabilities.ts';
import { healthRuleSchema, plannedStepSchema } from './schema.ts';

/** What a client says of a source whose deploy is to be planned, and the plan, as the HTTP API takes and shows them. */

const variableNames = z.array(z.string().max(100)).max(60);

const planPaths = z.array(z.string().max(400)).max(10_000);
const planTexts = (count: number) =>
  z
    .record(z.string().regex(/^[\w@./-]{1,400}$/, 'the path of a file'), z.string().max(262_144))
    .refine((texts) => Object.keys(texts).length <= count, `at most ${count} files`);

export const planBodySchema = z.strictObject({
  environment: environmentSchema.default('prod'),
  service: serviceNameSchema.optional().describe('Its name; it may not be here yet'),
  ...putServiceBodySchema.pick({ gitUrl: true, branch: true, appPath: true }).shape,
  catalog: z.string().max(65_536).optional().describe('Text of catalog-info.yaml'),
  platformConfig: z.string().max(65_536).optional().describe('Text of .platform.yaml'),
  containerFiles: planPaths.optional().describe('Those container files that something names and the source has'),
  manifest: z.string().max(1_048_576).optional().describe('Text of package.json'),
  files: planPaths
    .optional()
    .describe(
      'Paths in the build context, which is the app directory unless .platform.yaml names another, and in those of its directories that hold pages and entry files',
    ),
  texts: planTexts(600)
    .optional()
    .describe('Texts of files that tell how the app is built and started, such as .nvmrc and Procfile, by path'),
  variables: z
    .partialRecord(
      z.enum([SETTINGS_FILE, ...EXAMPLE_FILES]),
      z.strictObject({ names: variableNames, secrets: variableNames.describe('Those that look like secrets') }),
    )
    .optional()
    .describe('Names of the variables in .env and .env.example; their values are not sent'),
  monorepo: z
    .strictObject({
      folder: z.string().max(400).describe('Its directory in the source'),
      app: z.string().max(400).describe('The app directory, relative to it'),
      files: planPaths,
      texts: planTexts(600),
      registryVariables: variableNames.optional(),
    })
    .optional()
    .describe('The monorepo whose workspaces name the app directory, with the manifests of its packages'),
  registryVariables: variableNames
    .optional()
    .describe('Variables that the settings of the package manager name, such as NPM_TOKEN'),
  loaded: z.array(z.string().max(214)).max(300).optional().describe('Packages that the code of the app loads'),
});

const findingSchema = z.object({
  key: z.string(),
  title: z.string(),
  value: z.string(),
  reason: z.string(),
  setBy: z.string().describe('Where the author sets it'),
});

export const planReplySchema = z.object({
  service: z.string().nullable(),
  environment: environmentSchema,
  framework: z.string().nullable(),
  podTier: z.string(),
  healthEndpoint: z.string(),
  healthRule: healthRuleSchema,
  port: z.int().nullable(),
  found: z.array(findingSchema).describe('What was found of the app, and why; empty when no files were given'),
  steps: z.array(plannedStepSchema),
  runtime: z
    .object({ name: z.enum(RUNTIMES), differences: z.array(z.string()) })
    .optional()
    .describe('What runs the workload, and what it does otherwise than the container engine; absent for that engine'),
  warnings: z.array(z.string()),
});
