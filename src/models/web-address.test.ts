import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAddress, isPublicAddress } from "./web-page.ts";

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "this machine": ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"],
  unspecified: ["0.0.0.0", "0.1.2.3", "::", "0:0:0:0:0:0:0:0"],
  private: ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255", "fc00::1", "fd00:ec2::254"],
  "link-local and metadata of clouds": ["169.254.0.1", "169.254.169.254", "169.254.170.2", "fe80::1", "febf::1", "168.63.129.16"],
  "carrier-grade NAT": ["100.64.0.1", "100.100.100.200", "100.127.255.255"],
  multicast: ["224.0.0.1", "239.255.255.250", "ff02::1", "ff05::c"],
  "broadcast and reserved": ["255.255.255.255", "240.0.0.1", "254.1.2.3", "192.0.0.1", "192.0.0.192", "192.88.99.1"],
  "documents and tests": ["198.51.100.7", "203.0.113.9", "198.18.0.1", "2001:db8::1", "3fff::1"],
  "IPv4 inside IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  ],
  "other blocks of IPv6": ["fec0::1", "100::1", "5f00::1", "4000::1", "2001:10::1", "2001:20::1", "2001:30::1"],
  "no plain address": [
    "",
    "localhost",
    "2130706433",
    "0x7f.0.0.1",
    "127.1",
    " 8.8.8.8",
    "256.1.1.1",
    "fe80::1%eth0",
    "[::1]",
    "8.8.8.8:80",
  ],
};

const TAKEN = ["8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.167.255.255", "223.255.255.255", "2606:4700:4700::1111"];

describe("public addresses", () => {
  it.each(Object.entries(REFUSED).flatMap(([kind, all]) => all.map((address) => [kind, address] as const)))(
    "exclude %s: %s",
    (_kind, address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each(TAKEN)("include %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it("exclude IPv6 addresses that contain a private IPv4 address", () => {
    fc.assert(
      fc.property(fc.nat(255), fc.nat(255), fc.nat(255), (b, c, d) => {
        const hex = `${((10 << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const prefix of ["::ffff:", "::", "64:ff9b::", "::ffff:0:"]) expect(isPublicAddress(`${prefix}${hex}`)).toBe(false);
        expect(isPublicAddress(`2002:${hex}::1`)).toBe(false);
      }),
    );
  });
});

describe("IP addresses as host names", () => {
  it.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://８.8.8.8/",
  ])("are recognised in %s", (url) => {
    expect(isAddress(new URL(url).hostname)).toBe(true);
  });

  it.each(["http://example.org/", "http://1.example.org/", "http://127.0.0.1.nip.io/"])("are not recognised in %s", (url) => {
    expect(isAddress(new URL(url).hostname)).toBe(false);
  });
});
