import type { S3, S3ClientConfig } from '@aws-sdk/client-s3';

/** An object store that speaks S3, and the bucket of it that is used. */
export interface S3Settings {
  /** Base address for the platform's own calls, such as `https://s3.example.com`. */
  readonly endpoint: string;
  /** Base address for people, which their links name; `endpoint` when it is left out. */
  readonly publicEndpoint?: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** How many times a call is made until it fails; 5 when it is left out. */
  readonly attempts?: number;
  /** After so long without a byte in either direction a call has failed; 60 s when it is left out. */
  readonly idleMs?: number;
}

const ATTEMPTS = 5;
export const IDLE_MS = 60_000;
const CONNECT_MS = 5_000;

const SENT_CHECKSUM = 'x-amz-checksum-sha256';
const SIGNED_CHECKSUM = 'x-amz-content-sha256';

/** The client's library, loaded with the first call: it takes 36 MB, and most processes never need it. */
export const loadS3 = () => import('@aws-sdk/client-s3');

/** Opens a client. It takes everything from its settings: no file or variable of the AWS command line changes it. */
export async function openS3(settings: S3Settings, endpoint = settings.endpoint): Promise<S3> {
  const { S3 } = await loadS3();
  const client = new S3({
    ...fixed,
    endpoint,
    region: settings.region,
    credentials: { accessKeyId: settings.accessKey, secretAccessKey: settings.secretKey },
    maxAttempts: settings.attempts ?? ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: settings.idleMs ?? IDLE_MS },
  });
  signKnownChecksum(client);
  return client;
}

const fixed = {
  // Not every server has a host name for each bucket.
  forcePathStyle: true,
  retryMode: 'standard',
  // Uploads bring their checksum, and whoever reads compares the content with what is known of it.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  useArnRegion: false,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  disableMultiregionAccessPoints: true,
} as const satisfies S3ClientConfig;

/** The signature covers the SHA-256 of the body: where it is sent as a checksum as well, it is computed once. */
function signKnownChecksum(client: S3): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { readonly headers: Record<string, string> };
      const sent = headers[SENT_CHECKSUM];
      if (sent !== undefined) headers[SIGNED_CHECKSUM] = Buffer.from(sent, 'base64').toString('hex');
      return next(args);
    },
    { step: 'build', name: 'signKnownChecksum', priority: 'low' },
  );
}
