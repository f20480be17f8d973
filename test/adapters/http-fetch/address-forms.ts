import ipaddr from 'ipaddr.js';

/** Networks that are not the public internet (IANA's registries of special-purpose addresses, RFC 6890). */
const INNER_NETWORKS_IPV4: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];

/** The same, with all that is not given to the public internet yet (RFC 4291, 2.4; IANA, "IPv6 Global Unicast"). */
const INNER_NETWORKS_IPV6: readonly string[] = [
  ...['::/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '200::/7', '400::/6', '800::/5'],
  ...['1000::/4', '2001::/23', '2001::/32', '2001:2::/48', '2001:3::/32', '2001:4:112::/48', '2001:10::/28'],
  ...['2001:20::/28', '2001:30::/28', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '4000::/3'],
  ...['5f00::/16', '6000::/3', '8000::/3', 'a000::/3', 'c000::/3', 'e000::/4', 'f000::/5', 'f800::/6', 'fc00::/7'],
  ...['fe00::/9', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

type Network = Pick<typeof ipaddr.IPv4 | typeof ipaddr.IPv6, 'networkAddressFromCIDR' | 'broadcastAddressFromCIDR'>;

/** The first and the last address of each network. */
const edgesOf = (kind: Network, networks: readonly string[]): readonly string[] =>
  networks.flatMap((network) => [
    kind.networkAddressFromCIDR(network).toString(),
    kind.broadcastAddressFromCIDR(network).toString(),
  ]);
const distinct = (addresses: readonly string[]): readonly string[] => [...new Set(addresses)];

/** The edges of each network, and what is known to stand in them: clouds' metadata, resolvers, gateways. */
export const INNER_IPV4: readonly string[] = distinct([
  ...edgesOf(ipaddr.IPv4, INNER_NETWORKS_IPV4),
  ...['0.1.2.3', '10.0.0.1', '10.96.0.1', '100.100.100.200', '127.0.0.1', '127.0.0.53', '127.1.1.1', '168.63.129.16'],
  ...['169.254.0.1', '169.254.169.123', '169.254.169.253', '169.254.169.254', '169.254.170.2', '172.17.0.1'],
  ...['172.31.0.2', '192.0.0.170', '192.0.0.192', '192.88.99.1', '192.168.0.1', '192.168.99.100', '198.18.0.1'],
  ...['172.20.10.1', '192.168.1.1', '192.168.122.1', '198.19.0.1', '100.64.0.53', '10.0.2.2', '10.42.0.1'],
  ...['224.0.0.1', '224.0.0.251', '239.255.255.250', '240.0.0.1'],
]);

export const INNER_IPV6: readonly string[] = distinct([
  ...edgesOf(ipaddr.IPv6, INNER_NETWORKS_IPV6),
  ...['::1', '::2', '::7f00:1', '2001::1', '2001:1::4', '2001:5::1', '2001:db8::1', '2002:0a00:0001::1'],
  ...['2620:4f:8000::1', '3fff::1', 'fc00::1', 'fd00:ec2::23', 'fd00:ec2::254', 'fd12:3456:789a::1', 'fd20:ce::254'],
  ...['fe80::1', 'fe80::a9fe:a9fe', 'fec0::1', 'ff01::1', 'ff02::1', 'ff02::fb', 'ff05::1', 'ff0e::1'],
]);

/** Of networks that are given to the public: beside the edges of those above, and all over the rest. */
export const PUBLIC_IPV4: readonly string[] = [
  ...['1.0.0.0', '1.0.0.1', '1.1.1.1', '2.16.0.1', '3.5.140.2', '4.2.2.2', '5.9.0.1', '8.8.4.4', '8.8.8.8', '9.9.9.9'],
  ...['9.255.255.255', '11.0.0.0', '12.0.1.2', '13.107.21.200', '17.253.144.10', '18.155.1.1', '20.112.52.29'],
  ...['23.1.2.3', '31.13.72.36', '34.1.1.1', '35.190.0.1', '40.76.4.15', '44.0.0.1', '45.33.32.156', '46.4.0.1'],
  ...['50.16.0.1', '52.1.2.3', '54.239.28.85', '62.210.0.1', '64.1.1.1', '66.249.66.1', '69.63.176.13', '74.6.231.20'],
  ...['78.46.0.1', '80.67.169.12', '84.200.69.80', '88.198.0.1', '91.198.174.192', '93.184.215.14', '95.216.0.1'],
  ...['99.84.0.1', '100.0.0.1', '100.63.255.255', '100.128.0.0', '103.21.244.1', '104.16.0.1', '108.61.0.1'],
  ...['116.202.0.1', '126.255.255.255', '128.0.0.1', '130.89.148.14', '140.82.112.3', '141.101.64.1', '142.250.80.46'],
  ...['146.112.61.104', '151.101.1.1', '157.240.1.35', '162.159.200.1', '168.63.129.15', '168.63.129.17'],
  ...[
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '172.64.0.1',
    '185.199.108.153',
    '188.114.96.1',
  ],
  ...['191.255.255.255', '192.0.1.1', '192.1.0.1', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0'],
  ...['195.201.0.1', '198.17.255.255', '198.20.0.0', '198.41.0.4', '198.51.99.255', '198.51.101.0', '199.232.0.1'],
  ...['203.0.112.255', '203.0.114.0', '204.79.197.200', '208.67.222.222', '212.1.2.3', '216.58.214.1', '217.160.0.1'],
  '223.255.255.255',
];

export const PUBLIC_IPV6: readonly string[] = [
  ...['2001:200::1', '2001:200:0:1::1', '2001:470::1', '2001:4860:4860::8844', '2001:4860:4860::8888'],
  ...['2001:500:2::c', '2001:67c::1', '2001:7fd::1', '2001:da8::1', '2003::1', '2400:cb00::1'],
  ...['2404:6800::1', '2408:8000::1', '2600::1', '2600:1f18::1', '2604:a880::1', '2606:2800:21f::1'],
  ...['2606:4700:4700::1111', '2607:f8b0::1', '2610:a1::1', '2620:0:ccc::2', '2620:4f:8001::1', '2620:fe::fe'],
  ...['2800:3f0::1', '2803:f800::1', '2a00:1450::1', '2a01:4f8::1', '2a02:6b8::1', '2a03:2880::1', '2a04:4e42::1'],
  ...['2a06:98c0::1', '2a0d:5600::1', '2c0f:fb50::1'],
];

type Form = readonly [name: string, write: (octets: readonly number[]) => string];

const hex = (value: number, digits = 2): string => value.toString(16).padStart(digits, '0');
const whole = (octets: readonly number[]): number => octets.reduce((sum, octet) => sum * 256 + octet, 0);
const tail = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string =>
  `${hex(a * 256 + b, 4)}:${hex(c * 256 + d, 4)}`;
const enclosed = (digits: string): string =>
  [...digits].map((digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x2460 + Number(digit) - 1))).join('');

/** Ways to write an IPv4 address as the host of a URL: all that the URL standard takes for one. */
export const FORMS_OF_HOST: readonly Form[] = [
  ['dotted', (octets) => octets.join('.')],
  ['one number', (octets) => String(whole(octets))],
  ['one hexadecimal number', (octets) => `0x${whole(octets).toString(16)}`],
  ['octal parts', (octets) => octets.map((octet) => `0${octet.toString(8)}`).join('.')],
  ['hexadecimal parts', (octets) => octets.map((octet) => `0x${octet.toString(16)}`).join('.')],
  ['two parts', ([a = 0, ...rest]) => `${a}.${whole(rest)}`],
  ['full-width dots', (octets) => octets.join('。')],
  ['digits in circles', (octets) => octets.map((octet) => enclosed(String(octet))).join('.')],
  ['a dot at its end', (octets) => `${octets.join('.')}.`],
  ['escapes', (octets) => octets.join('%2e')],
];

/** Ways in which an IPv6 address leads to an IPv4 address. */
export const FORMS_IN_IPV6: readonly Form[] = [
  ['mapped', (octets) => `::ffff:${octets.join('.')}`],
  ['mapped, in hexadecimal', (octets) => `::ffff:${tail(octets)}`],
  ['compatible', (octets) => `::${tail(octets)}`],
  ['translated', (octets) => `::ffff:0:${tail(octets)}`],
  ['NAT64', (octets) => `64:ff9b::${tail(octets)}`],
  ['6to4', (octets) => `2002:${tail(octets)}::1`],
  ['Teredo', (octets) => `2001:0:${tail(octets)}::1`],
  ['ISATAP', (octets) => `2a01:4f8::5efe:${tail(octets)}`],
  ['ISATAP of a unique id', (octets) => `2a01:4f8::200:5efe:${tail(octets)}`],
];

export function octetsOf(address: string): readonly number[] {
  return ipaddr.IPv4.parse(address).octets;
}
