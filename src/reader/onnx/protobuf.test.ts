import { describe, expect, it } from "vitest";
import { bytesField, encoded, fields, floatField, integerField, messageField, textField } from "./protobuf.ts";

const hex = (message: Parameters<typeof encoded>[0]) => Buffer.from(encoded(message)).toString("hex");

describe("protocol buffers", () => {
  it("writes the messages of the format's own description", () => {
    // https://protobuf.dev/programming-guides/encoding/: Test1 { a: 150 }, Test2 { b: "testing" }, Test3 { c: Test1 }
    expect(hex(integerField(1, 150))).toBe("089601");
    expect(hex(textField(2, "testing"))).toBe("120774657374696e67");
    expect(hex(messageField(3, integerField(1, 150)))).toBe("1a03089601");
  });

  it("writes numbers of any size, lengths of more than one byte and fields above 15", () => {
    expect(hex(integerField(1, 0))).toBe("0800");
    expect(hex(integerField(1, 127))).toBe("087f");
    expect(hex(integerField(1, 128))).toBe("088001");
    expect(hex(integerField(1, 2 ** 40))).toBe("08808080808020");
    expect(hex(integerField(20, 7))).toBe("a00107");
    expect(hex(floatField(2, 1))).toBe("150000803f");
    expect(hex(bytesField(9, new Uint8Array(300))).slice(0, 6)).toBe("4aac02");
  });

  it("puts fields together in their order", () => {
    expect(hex(fields(integerField(1, 1), fields(), textField(2, "é")))).toBe("08011202c3a9");
  });
});
