import type { SourceTree } from '../../domain/catalog/app-source.ts';
import { joinInside } from '../../domain/catalog/source-path.ts';
import type { Workspace } from '../../domain/deploys/source-ports.ts';

/** A folder of a build's source. */
export function sourceTree(workspace: Workspace, buildId: string, folder: string): SourceTree {
  return {
    readText: (path, limitBytes) => workspace.readText(buildId, joinInside(folder, path), limitBytes),
    list: (path) => workspace.list(buildId, joinInside(folder, path)),
  };
}
