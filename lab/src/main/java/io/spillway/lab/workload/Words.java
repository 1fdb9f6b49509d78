// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.workload;

import org.apache.hadoop.io.Text;

/** The words of a line, one after the other: what stands between white space. One thread. */
final class Words {
    private byte[] bytes;
    private int length;
    private int start;
    private int end;

    /** Begins with a line, which must stay as it is. */
    void read(final Text line) {
        bytes = line.getBytes();
        length = line.getLength();
        end = 0;
    }

    /** Goes on to the next word. */
    boolean next() {
        start = end;
        while (start < length && isSpace(bytes[start])) {
            start++;
        }
        end = start;
        while (end < length && !isSpace(bytes[end])) {
            end++;
        }
        return end > start;
    }

    private static boolean isSpace(final byte character) {
        return character == ' ' || (character >= '\t' && character <= '\r');
    }

    /** Its first byte in the line. */
    int start() {
        return start;
    }

    /** Behind its last byte in the line. */
    int end() {
        return end;
    }

    /** Makes a text of it. */
    void copyTo(final Text word) {
        word.set(bytes, start, end - start);
    }
}
