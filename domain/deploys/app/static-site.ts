import { z } from 'zod';
import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { type SiteGenerator, siteGenerator } from '../../catalog/site-generators.ts';
import { isInsidePath, joinInside } from '../../catalog/source-path.ts';
import { parseJson } from '../../parse-json.ts';
import type { Choice, Site } from './app-description.ts';
import { stripComments } from './strip-comments.ts';

/** Packages that change the path of the page in the browser. */
const ROUTERS = [
  'react-router-dom',
  'react-router',
  'vue-router',
  '@angular/router',
  '@reach/router',
  '@tanstack/react-router',
  '@tanstack/router',
  'wouter',
  'svelte-routing',
  'preact-router',
  'page',
  'navigo',
  '@solidjs/router',
  'universal-router',
];

const USUAL_FOLDERS = ['dist', 'build', 'out', '_site', 'public', '.'];
const UNBUILT_FOLDERS = ['public', 'dist', '.'];

export interface SiteFacts {
  readonly manifest: Manifest;
  readonly source: AppSource;
  /** `platform.io/output-folder` */
  readonly declared: string | null;
  readonly isBuilt: boolean;
}

/** Where the site of a static app is once it is built, by the settings of the tool that builds it. */
export function staticSite({ manifest, source, declared, isBuilt }: SiteFacts): Site {
  const generator = siteGenerator(manifest.dependencies);
  const script = manifest.scripts[siteScript(manifest) ?? 'build'] ?? '';
  const config = generator === null ? '' : configText(generator, source);
  const folder = isBuilt && generator !== null ? outputOf(generator, config, script, source) : null;
  return {
    folders: foldersOf(declared, folder, isBuilt, source.files),
    singlePage: singlePage(manifest, generator, config),
    basePath: basePath(generator, config, manifest, source),
  };
}

/**
 * The command that builds a site whose manifest has no build script; null where nothing is to be built.
 * @param run how the package manager runs a script
 */
export function siteBuild(manifest: Manifest, run: (script: string) => string): Choice<string> | null {
  const generator = siteGenerator(manifest.dependencies);
  if (generator === null) return null;
  const script = siteScript(manifest);
  if (script !== null)
    return { value: run(script), reason: `its ${script} script builds the site by ${generator.package}` };
  return {
    value: generator.build,
    reason: `${generator.package} builds the site, and package.json has no build script`,
  };
}

/** The script of another name than `build` that has the generator build, such as `docs:build`; null with a build script. */
function siteScript({ dependencies, scripts }: Manifest): string | null {
  const generator = siteGenerator(dependencies);
  if (generator === null || (scripts.build ?? '').trim() !== '') return null;
  const builds = (text: string): boolean => text.startsWith(generator.build) || text.includes(` ${generator.build}`);
  return (
    Object.keys(scripts).find((name) => builds(scripts[name] ?? '') && !/dev|watch|serve|start/.test(name)) ?? null
  );
}

function foldersOf(
  declared: string | null,
  folder: Choice<string> | null,
  isBuilt: boolean,
  files: readonly string[],
): Choice<readonly string[]> {
  if (declared !== null) return { value: [declared], reason: 'platform.io/output-folder declares it' };
  const usual = isBuilt ? USUAL_FOLDERS : UNBUILT_FOLDERS;
  const first = UNBUILT_FOLDERS.find((name) => files.includes(name === '.' ? 'index.html' : `${name}/index.html`));
  if (!isBuilt && first !== undefined) return { value: [first], reason: 'there is its index.html' };
  if (folder !== null) {
    const others = usual.filter((name) => name !== folder.value && name !== '.' && name !== 'public');
    return { value: [folder.value, `${folder.value}/browser`, ...others], reason: folder.reason };
  }
  return { value: usual, reason: isBuilt ? 'the usual folders of a built site' : 'the usual folders of a site' };
}

function outputOf(generator: SiteGenerator, config: string, script: string, source: AppSource): Choice<string> {
  const flag = usable(generator.flag.exec(script)?.[1]);
  if (flag !== null) return { value: flag, reason: 'the build script names it' };
  if (generator.package === '@angular/core') {
    const folder = angularOutput(source.texts['angular.json'] ?? '');
    if (folder !== null) return { value: folder, reason: 'angular.json names it' };
  }
  const set = usable(generator.setting.exec(config)?.[1]);
  if (set !== null) return { value: set, reason: `the settings of ${generator.package} name it` };
  const root = usable(generator.root?.exec(script)?.[1]);
  const output = root === null ? generator.output : `${root}/${generator.output}`;
  return { value: output, reason: `the folder of ${generator.package}` };
}

const outputPath = z.union([z.string(), z.looseObject({ base: z.string() }).transform(({ base }) => base)]);
const angularSchema = z.looseObject({
  defaultProject: z.string().optional(),
  projects: z.record(
    z.string(),
    z.looseObject({
      projectType: z.string().optional(),
      architect: z
        .looseObject({
          build: z.looseObject({ options: z.looseObject({ outputPath }).partial().optional() }).optional(),
        })
        .optional(),
    }),
  ),
});

/** The output folder of an Angular workspace's application; null when its file names none and no application. */
export function angularOutput(text: string): string | null {
  const { data } = angularSchema.safeParse(parseJson(text));
  const projects = Object.entries(data?.projects ?? {});
  const first = projects.find(([name]) => name === data?.defaultProject);
  const [name, project] = first ?? projects.find(([, { projectType }]) => projectType !== 'library') ?? [];
  return name === undefined ? null : usable(project?.architect?.build?.options?.outputPath ?? `dist/${name}`);
}

function singlePage({ dependencies }: Manifest, generator: SiteGenerator | null, config: string): Choice<boolean> {
  if (generator?.singlePage === true && !/\bappType:\s*["']mpa["']/.test(config)) {
    return { value: true, reason: `${generator.package} builds one page, which has every path` };
  }
  const router = ROUTERS.find((name) => dependencies.has(name));
  if (generator === null && router !== undefined)
    return { value: true, reason: `${router} changes the path in the browser` };
  return { value: false, reason: 'each path has a file of its own' };
}

/** The path below which pages look for their files; null for the root. */
function basePath(
  generator: SiteGenerator | null,
  config: string,
  { homepage }: Manifest,
  { texts }: AppSource,
): string | null {
  if (generator === null) return null;
  const written =
    generator.package === 'react-scripts'
      ? (homepage ?? '').replace(/^https?:\/\/[^/]+/, '')
      : generator.package === '@angular/core'
        ? /"baseHref":\s*"(\/[\w./-]*)"/.exec(texts['angular.json'] ?? '')?.[1]
        : generator.base?.exec(config)?.[1];
  return cleanBase(written);
}

/** A base path without slashes at its ends; null for the root and for what is no plain path. */
export function cleanBase(written: string | undefined): string | null {
  const path = joinInside(written ?? '');
  return /^[A-Za-z0-9_-][\w.-]*(?:\/[A-Za-z0-9_-][\w.-]*)*$/.test(path) ? path : null;
}

function configText(generator: SiteGenerator, { texts }: AppSource): string {
  const [, text = ''] = Object.entries(texts).find(([name]) => generator.config.test(name)) ?? [];
  return stripComments(text);
}

/** A folder inside the app that needs no quotes; null for any other text. */
export function usable(folder: string | undefined | null): string | null {
  if (folder == null) return null;
  const path = joinInside(folder);
  return isInsidePath(path) && /^[\w.@][\w./@-]*$/.test(path) ? path : null;
}
