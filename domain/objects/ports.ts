/**
 * The module `objects`: files in a bucket of an object store that speaks S3.
 *
 * Keying: a key names one object; who writes an object again replaces it as a whole.
 * Retries: a call that failed with a retryable error may be made again; every call here is idempotent.
 * Compensation: an upload that failed removes its parts. What a killed process left behind, `abortIncomplete` removes.
 */

/** What a bucket keeps under a key. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** Changes when the content is replaced. It is no checksum of the content that can be computed elsewhere. */
  readonly etag: string;
  readonly modifiedAt: Date;
}

/** What an upload was made of, as the store has confirmed it. */
export interface UploadedObject {
  readonly bytes: number;
  /** Of the whole content, in hexadecimal. */
  readonly sha256: string;
  readonly etag: string;
}

export interface UploadOptions {
  /** Ends the upload: it then fails with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Told how many bytes the store has accepted until now, the last time when it has all. */
  readonly onProgress?: (bytes: number) => void;
  /** `application/octet-stream` when it is left out. */
  readonly contentType?: string;
}

/** Where reading begins and how much is read at most. */
export interface ByteRange {
  readonly offset: number;
  /** To the end of the object when it is left out. */
  readonly bytes?: number;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly range?: ByteRange;
  /** Of the object as it has to be: another one is not read, which is CONFLICT (retryable). */
  readonly etag?: string;
  /**
   * The pieces are views of memory that is filled again once the next one is asked for: whoever keeps one copies it. A long
   * content then costs little more than its bytes; false when it is left out.
   */
  readonly reusesMemory?: boolean;
}

export interface ListOptions {
  readonly signal?: AbortSignal;
  /** Only keys that come after this one. */
  readonly after?: string;
}

export interface DownloadLink {
  /** From 1 s to 7 days. */
  readonly ttlSeconds: number;
  /** Under which the browser saves it. */
  readonly fileName: string;
}

/**
 * One bucket. Keys are those that `checkObjectKey` passes: any other is refused with VALIDATION_FAILED.
 *
 * Every call may fail with OBJECT_STORE_UNREACHABLE (retryable: no answer, a broken connection, overloaded),
 * OBJECT_STORE_REFUSED (the credentials or the bucket's policy do not allow it) or OBJECT_STORE_FULL (out of space or over
 * its quota). With a signal that aborts, it fails with the reason of the signal.
 */
export interface ObjectStore {
  /**
   * Uploads a stream of any length in parts, with a bounded amount of it in memory. The object is there as a whole or not
   * at all: an upload that fails, is aborted or whose body throws (the error is passed on as it is) keeps what was under
   * the key before, and leaves no parts. The body is ended in every case. What the store says it keeps has been compared with
   * what was sent. Where the answer to the last call was lost, and the store cannot be asked, the object may be there as a
   * whole although the upload failed; parts that could not be removed then are left for `abortIncomplete`.
   * @throws OBJECT_DAMAGED (retryable) when they differ: then the object is removed
   */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: UploadOptions): Promise<UploadedObject>;
  /** What is known of an object without reading it; null when there is none. */
  head(key: string, options?: { readonly signal?: AbortSignal }): Promise<StoredObject | null>;
  /**
   * The content as a stream, which whoever asks for it reads or returns. Reading fails with OBJECT_STORE_UNREACHABLE when
   * the stream ends before all bytes came.
   * @throws OBJECT_NOT_FOUND; VALIDATION_FAILED for a range that begins behind the end
   */
  get(key: string, options?: ReadOptions): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Every object whose key begins with `prefix`, in the order of their keys, read in pages as they are asked for. A page
   * that cannot be read is an error: the listing never ends early.
   */
  list(prefix: string, options?: ListOptions): AsyncIterable<StoredObject>;
  /** Idempotent: it succeeds without an object as well. */
  delete(key: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** An address from which anybody who has it downloads the object until it expires. It is a secret until then. */
  downloadUrl(key: string, link: DownloadLink): Promise<string>;
  /**
   * Removes the parts of uploads below `prefix` that began before that time: those of processes that were killed.
   * @returns how many uploads
   */
  abortIncomplete(prefix: string, startedBefore: Date, options?: { readonly signal?: AbortSignal }): Promise<number>;
  /** Makes the bucket, which nobody reads without credentials. Idempotent. */
  ensureBucket(): Promise<void>;
}
