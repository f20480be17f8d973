import { z } from 'zod';

/** Longer ones are not what a person wrote: commands and versions are taken apart, which takes more time the longer they are. */
const MAX_SCRIPT_CHARACTERS = 4_000;
const MAX_VERSION_CHARACTERS = 1_000;

const names = z.record(z.string(), z.unknown()).nullish().catch(null);
const optionalText = z.string().nullish().catch(null);
const manifestSchema = z.object({
  name: optionalText,
  main: optionalText,
  type: optionalText,
  packageManager: optionalText,
  homepage: optionalText,
  volta: z.object({ node: optionalText }).nullish().catch(null),
  engines: z.object({ node: optionalText }).nullish().catch(null),
  scripts: z.record(z.string(), z.string()).nullish().catch(null),
  dependencies: names,
  devDependencies: names,
});

/** What a package manifest (package.json) says about building and starting an app. */
export interface Manifest {
  /** The package's whole name; null where it is none. */
  readonly packageName: string | null;
  /** The package's name without its scope when it can name a service; null otherwise. */
  readonly serviceName: string | null;
  readonly main: string | null;
  /** `pnpm@10.2.0` and the like. */
  readonly packageManager: string | null;
  /** `engines.node`: a range of versions, as it is written. */
  readonly nodeRange: string | null;
  /** `volta.node`: a version. */
  readonly voltaNode: string | null;
  /** Address of its page, below which some tools build their sites. */
  readonly homepage: string | null;
  readonly scripts: Readonly<Record<string, string>>;
  /** Names of all dependencies, those for development included. */
  readonly dependencies: ReadonlySet<string>;
  readonly runtimeDependencies: ReadonlySet<string>;
  /** The version that is asked for, by the name of the dependency. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Reads a manifest leniently: what cannot be read counts as absent, with a warning. Null text is an empty manifest. */
export function readManifest(text: string | null, warnings: string[]): Manifest {
  const data = parse(text, warnings);
  const scripts = Object.entries(data?.scripts ?? {});
  for (const [name] of scripts.filter(([, script]) => script.length > MAX_SCRIPT_CHARACTERS)) {
    warnings.push(
      `the script ${name.slice(0, 100)} in package.json is longer than ${MAX_SCRIPT_CHARACTERS} characters and is ignored`,
    );
  }
  const runtime = Object.keys(data?.dependencies ?? {});
  const shortName = data?.name?.replace(/^@[^/]*\//, '') ?? '';
  const packageName = /^(?:@[\w.-]{1,200}\/)?[\w.-]{1,200}$/.exec(data?.name ?? '')?.[0] ?? null;
  return {
    packageName,
    serviceName: /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(shortName) ? shortName : null,
    main: data?.main ?? null,
    packageManager: data?.packageManager ?? null,
    nodeRange: data?.engines?.node ?? null,
    voltaNode: data?.volta?.node ?? null,
    homepage: data?.homepage ?? null,
    scripts: Object.fromEntries(scripts.filter(([, script]) => script.length <= MAX_SCRIPT_CHARACTERS)),
    dependencies: new Set([...runtime, ...Object.keys(data?.devDependencies ?? {})]),
    runtimeDependencies: new Set(runtime),
    versions: textsOf({ ...data?.devDependencies, ...data?.dependencies }),
  };
}

function textsOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts = Object.entries(record).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].length <= MAX_VERSION_CHARACTERS,
  );
  return Object.fromEntries(texts);
}

function parse(text: string | null, warnings: string[]): z.infer<typeof manifestSchema> | null {
  if (text === null) return null;
  try {
    const result = manifestSchema.safeParse(JSON.parse(text.replace(/^\uFEFF/, '')));
    if (result.success) return result.data;
    warnings.push('package.json is not an object and is ignored');
  } catch (error) {
    warnings.push(
      `package.json is not valid JSON and is ignored: ${error instanceof Error ? error.message : 'unknown'}`,
    );
  }
  return null;
}
