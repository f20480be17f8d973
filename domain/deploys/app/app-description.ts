import type { Framework } from '../../catalog/catalog.ts';
import type { PackageManager } from '../container-file/detect-package-manager.ts';
import type { InstallCommands } from '../container-file/install-commands.ts';

/** Something that was decided, and why. */
export interface Choice<T> {
  readonly value: T;
  /** Completes "because …", such as `package.json has a build script`. */
  readonly reason: string;
}

/** What was found out of an app's source: all that its container file is written from. */
export interface AppDescription {
  readonly framework: Framework;
  /** The framework's version as the manifest asks for it; null when it names none. */
  readonly frameworkVersion: string | null;
  readonly manager: PackageManager;
  readonly commands: InstallCommands;
  /** The image it is built on, and runs on unless a web server serves it. */
  readonly nodeImage: Choice<string>;
  /** Shell command that installs its packages; null where there is nothing to install. */
  readonly install: Choice<string> | null;
  /** Shell command that builds it; null without a build. */
  readonly build: Choice<string> | null;
  /** Exec-form command that starts it; null where a web server serves its files. */
  readonly start: Choice<readonly string[]> | null;
  /** Folders in which its site may be, the first with a page wins; null where a program of its own answers. */
  readonly output: Choice<readonly string[]> | null;
  readonly port: Choice<number>;
  /** True when what only development needs stays in the image. */
  readonly keepsDevelopment: Choice<boolean>;
  readonly runsOn: string;
  readonly hasIgnoreFile: boolean;
  readonly healthEndpoint: string;
  readonly warnings: readonly string[];
}
