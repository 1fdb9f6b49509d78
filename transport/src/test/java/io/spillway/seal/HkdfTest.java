// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The test vectors of RFC 5869 for SHA-256. */
final class HkdfTest {
    private static void check(
            final String secret,
            final String salt,
            final String info,
            final String key,
            final String bytes) {
        final HexFormat hex = HexFormat.of();
        final byte[] extracted = Hkdf.extract(hex.parseHex(salt), hex.parseHex(secret));
        assertThat(hex.formatHex(extracted)).isEqualTo(key);
        final int length = bytes.length() / 2;
        assertThat(hex.formatHex(Hkdf.expand(extracted, hex.parseHex(info), length)))
                .isEqualTo(bytes);
    }

    /** The bytes from {@code first} to {@code last}. */
    private static String range(final int first, final int last) {
        final StringBuilder hex = new StringBuilder();
        for (int i = first; i <= last; i++) {
            hex.append(String.format("%02x", i));
        }
        return hex.toString();
    }

    @Test
    void case1() {
        check(
                "0b".repeat(22),
                range(0x00, 0x0c),
                range(0xf0, 0xf9),
                "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                        + "34007208d5b887185865");
    }

    @Test
    void case2WithLongInputs() {
        check(
                range(0x00, 0x4f),
                range(0x60, 0xaf),
                range(0xb0, 0xff),
                "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                        + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                        + "cc30c58179ec3e87c14c01d5c1f3434f1d87");
    }

    @Test
    void case3WithoutSaltAndInfo() {
        check(
                "0b".repeat(22),
                "00".repeat(32),
                "",
                "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                        + "9d201395faa4b61a96c8");
    }

    @Test
    void refusesLengthsOutOfRange() {
        assertThatThrownBy(() -> Hkdf.expand(new byte[32], new byte[0], 8161))
                .hasMessage("length=8161, expected 1 to 8160");
        assertThatThrownBy(() -> Hkdf.expand(new byte[32], new byte[0], 0))
                .hasMessageContaining("length=0");
    }
}
