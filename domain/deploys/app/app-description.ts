import type { Framework } from '../../catalog/catalog.ts';
import type { BuildCache } from '../container-file/build-caches.ts';
import type { PackageManager } from '../container-file/detect-package-manager.ts';
import type { InstallCommands } from '../container-file/install-commands.ts';
import type { Workspace } from './workspace.ts';

/** Something that was decided, and why. */
export interface Choice<T> {
  readonly value: T;
  /** Such as `package.json has a build script`. */
  readonly reason: string;
}

/** A site of files, which a web server answers with. */
export interface Site {
  /** Folders in which it may be, relative to the app; the first with a page wins. */
  readonly folders: Choice<readonly string[]>;
  /** True when paths without a file are answered with the one page, which finds out itself what to show. */
  readonly singlePage: Choice<boolean>;
  /** Path below which its pages look for their files, without slashes at its ends; null for the root. */
  readonly basePath: string | null;
}

/** What was found out of an app's source: all that its container file is written from. */
export interface AppDescription {
  /** Null for a Node.js server of none of the known frameworks. */
  readonly framework: Framework | null;
  /** Why the framework is that one. */
  readonly frameworkReason: string;
  /** The framework's version, as the lockfile has it or else as the manifest asks for it; null when neither names one. */
  readonly frameworkVersion: string | null;
  /** Its place in a monorepo, whose folder is then the build context; null where the app's folder is. */
  readonly workspace: Workspace | null;
  readonly manager: PackageManager;
  readonly commands: InstallCommands;
  /** The image it is built on, and runs on unless a web server serves it. */
  readonly nodeImage: Choice<string>;
  /** Packages for which it is built on the image with compilers; empty where none needs it. */
  readonly nativePackages: readonly string[];
  /** Shell command that installs its packages; null where there is nothing to install. */
  readonly install: Choice<string> | null;
  /** True when the whole source is copied before the install. */
  readonly installsFromSource: Choice<boolean>;
  /** Shell command that builds it; null without a build. */
  readonly build: Choice<string> | null;
  /** What its build keeps for the next one; empty without a build. */
  readonly caches: readonly BuildCache[];
  /** Exec-form command that starts it; null where a web server serves its files. */
  readonly start: Choice<readonly string[]> | null;
  /** Folder of a Next.js build; null for all else. */
  readonly nextFolder: string | null;
  /** True where Next.js starts what its build made; false where the author starts it in another way. */
  readonly nextStarts: boolean;
  /** Null where a program answers. */
  readonly site: Site | null;
  readonly port: Choice<number>;
  /** True when what only development needs stays in the image. */
  readonly keepsDevelopment: Choice<boolean>;
  /** Variables that its build needs. */
  readonly buildEnvironment: Readonly<Record<string, string>>;
  /** Variables that make known servers listen on every address. */
  readonly environment: Readonly<Record<string, string>>;
  readonly runsOn: string;
  /** Version of Bun in the image of an app that Bun starts; null for all others. */
  readonly bun: string | null;
  /** The lockfile that the install writes, where the source has none; null for all others. */
  readonly newLockfile: string | null;
  /** Variables that the settings of the package manager name, such as `NPM_TOKEN` in .npmrc. */
  readonly registryVariables: readonly string[];
  readonly hasIgnoreFile: boolean;
  /** True when the `.env` of the repository is part of the image. */
  readonly keepsSettingsFile: boolean;
  readonly healthEndpoint: string;
  readonly warnings: readonly string[];
}
