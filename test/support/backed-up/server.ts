import type { BackupEngine } from '../../../domain/backups/backup.ts';
import type { DumpTool } from '../../../domain/backups/ports.ts';

/** A server whose databases are backed up, as a test does it that is the same for each engine. */
export interface BackedUpServer {
  readonly engine: BackupEngine;
  /** `PostgreSQL`, `the MongoDB stand-in`, `MongoDB 7.0.24` */
  readonly title: string;
  /** By which a worker finds it, and its tools. */
  readonly variables: Readonly<Record<string, string>>;
  readonly dumpTool: DumpTool;
  /** Whether a restore in place that fails leaves the database as it was. */
  readonly rollsBack: boolean;
  /** Makes the database of a service in production, as a deploy does. */
  create(service: string): Promise<ServiceDatabase>;
  /** Fills a database that was made here with so many MiB that do not compress. */
  fill(database: string, mebibytes: number): Promise<void>;
  /** One value for all that it has. */
  sumOf(database: string): Promise<string>;
  /** Writes to a filled one, so that it has another sum. */
  change(database: string): Promise<void>;
  /** The server ends the connection of a tool while that is at work. */
  readonly toolCut: ToolCut;
  /** Holds a swap of the database where it is about to change what is live. */
  holdSwap(database: string): Promise<HeldSwap>;
  /** What backups and restores of these ids have left: databases, roles, what the server notes of them, and tools at work. */
  left(ids: readonly string[]): Promise<readonly string[]>;
  stop(): Promise<void>;
}

export interface ServiceDatabase {
  readonly service: string;
  readonly databaseName: string;
}

export interface ToolCut {
  /** Before a tool is started. */
  arm(): void;
  /** When the first part of the archive has passed; resolves when its connection is ended, or will be. */
  cut(): Promise<void>;
  /** From now on tools connect again. */
  disarm(): void;
}

export interface HeldSwap {
  /** Resolves when the swap is held. */
  readonly came: () => Promise<unknown>;
  readonly letGo: () => Promise<void>;
}
