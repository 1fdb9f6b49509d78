// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.differential.TestKeys.PairKey;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.io.serializer.JavaSerializationComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator;

/** How a job sorts and groups its keys. */
enum Ordering {
    /** As the key class does. */
    NATURAL(null, null, false),
    /** Text backwards, by a subclass of Text's own comparator. */
    REVERSE_TEXT(ReverseTextComparator.class, null, false),
    /** IntWritable backwards, by a subclass of its own comparator. */
    REVERSE_INT(ReverseIntComparator.class, null, false),
    /** Hadoop's own reverse order. */
    DECREASING_LONG(LongWritable.DecreasingComparator.class, null, false),
    /** Text, short ones first; a RawComparator that is no WritableComparator. */
    SHORT_TEXT_FIRST(ShortTextFirst.class, null, false),
    /** Text without regard to case: keys that differ compare equal. */
    CASE_INSENSITIVE(CaseInsensitiveComparator.class, null, true),
    /** The second tab-separated field as a number, descending: keys that differ compare equal. */
    KEY_FIELD(KeyFieldBasedComparator.class, null, true) {
        @Override
        void configure(final JobConf conf) {
            super.configure(conf);
            conf.set(KeyFieldBasedComparator.COMPARATOR_OPTIONS, "-k2,2nr");
        }
    },
    /** Pairs by a comparator of another class, which sees only the first number. */
    FIRST_OF_PAIR(IntWritable.Comparator.class, null, true),
    /** Text by a comparator of another class, which skips the length and three letters. */
    TEXT_AS_BYTES(BytesWritable.Comparator.class, null, true),
    /** Secondary sort of pairs: one group for each first number. */
    SECONDARY_PAIR(null, PairGrouping.class, false),
    /** Secondary sort of Text: one group for everything before the hash sign. */
    SECONDARY_TEXT(null, TextGrouping.class, false),
    /** Secondary sort, descending inside the group. */
    SECONDARY_REVERSE(ReverseTextComparator.class, TextGrouping.class, false),
    /** All keys in one group. */
    ONE_GROUP(null, OneGroup.class, false),
    /** Comparable Java objects, deserialized for each comparison. */
    JAVA(JavaSerializationComparator.class, null, false);

    private final Class<?> sort;
    private final Class<?> grouping;
    private final boolean differentKeysCompareEqual;

    Ordering(
            final Class<?> sort, final Class<?> grouping, final boolean differentKeysCompareEqual) {
        this.sort = sort;
        this.grouping = grouping;
        this.differentKeysCompareEqual = differentKeysCompareEqual;
    }

    void configure(final JobConf conf) {
        if (sort != null) {
            conf.set(MRJobConfig.KEY_COMPARATOR, sort.getName());
        }
        if (grouping != null) {
            conf.set(MRJobConfig.GROUP_COMPARATOR_CLASS, grouping.getName());
        }
    }

    /** The class name for the grouping of a combiner. */
    String groupingName() {
        return grouping.getName();
    }

    boolean groups() {
        return grouping != null;
    }

    boolean differentKeysCompareEqual() {
        return differentKeysCompareEqual;
    }

    /** Text's comparator turned round. */
    public static final class ReverseTextComparator extends Text.Comparator {
        @Override
        public int compare(
                final byte[] b1,
                final int s1,
                final int l1,
                final byte[] b2,
                final int s2,
                final int l2) {
            return super.compare(b2, s2, l2, b1, s1, l1);
        }

        @Override
        @SuppressWarnings("rawtypes") // the signature is Hadoop's
        public int compare(final WritableComparable a, final WritableComparable b) {
            return super.compare(b, a);
        }
    }

    /** IntWritable's comparator turned round. */
    public static final class ReverseIntComparator extends IntWritable.Comparator {
        @Override
        public int compare(
                final byte[] b1,
                final int s1,
                final int l1,
                final byte[] b2,
                final int s2,
                final int l2) {
            return super.compare(b2, s2, l2, b1, s1, l1);
        }

        @Override
        @SuppressWarnings("rawtypes") // the signature is Hadoop's
        public int compare(final WritableComparable a, final WritableComparable b) {
            return super.compare(b, a);
        }
    }

    /** Orders Text by length, then by bytes. */
    public static final class ShortTextFirst implements RawComparator<Text> {
        @Override
        public int compare(
                final byte[] b1,
                final int s1,
                final int l1,
                final byte[] b2,
                final int s2,
                final int l2) {
            return l1 != l2
                    ? Integer.compare(l1, l2)
                    : WritableComparator.compareBytes(b1, s1, l1, b2, s2, l2);
        }

        @Override
        public int compare(final Text a, final Text b) {
            final int byLength = Integer.compare(a.getLength(), b.getLength());
            return byLength != 0 ? byLength : a.compareTo(b);
        }
    }

    /** Orders Text by its lower-case form. */
    public static final class CaseInsensitiveComparator extends WritableComparator {
        /** Called by Hadoop. */
        public CaseInsensitiveComparator() {
            super(Text.class, true);
        }

        @Override
        @SuppressWarnings("rawtypes") // the signature is Hadoop's
        public int compare(final WritableComparable a, final WritableComparable b) {
            return a.toString()
                    .toLowerCase(Locale.ROOT)
                    .compareTo(b.toString().toLowerCase(Locale.ROOT));
        }
    }

    /** Groups pairs by their first number. */
    public static final class PairGrouping extends WritableComparator {
        /** Called by Hadoop. */
        public PairGrouping() {
            super(PairKey.class, true);
        }

        @Override
        @SuppressWarnings("rawtypes") // the signature is Hadoop's
        public int compare(final WritableComparable a, final WritableComparable b) {
            return Integer.compare(((PairKey) a).first(), ((PairKey) b).first());
        }
    }

    /** Groups serialized Text by what precedes the hash sign. */
    public static final class TextGrouping implements RawComparator<Text> {
        @Override
        public int compare(
                final byte[] b1,
                final int s1,
                final int l1,
                final byte[] b2,
                final int s2,
                final int l2) {
            final int n1 = WritableUtils.decodeVIntSize(b1[s1]);
            final int n2 = WritableUtils.decodeVIntSize(b2[s2]);
            return primary(b1, s1 + n1, l1 - n1).compareTo(primary(b2, s2 + n2, l2 - n2));
        }

        @Override
        public int compare(final Text a, final Text b) {
            return primary(a.getBytes(), 0, a.getLength())
                    .compareTo(primary(b.getBytes(), 0, b.getLength()));
        }

        static String primary(final byte[] bytes, final int offset, final int length) {
            final String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
            final int end = text.indexOf('#');
            return end < 0 ? text : text.substring(0, end);
        }
    }

    /** Finds all keys equal. */
    public static final class OneGroup implements RawComparator<Object> {
        @Override
        public int compare(
                final byte[] b1,
                final int s1,
                final int l1,
                final byte[] b2,
                final int s2,
                final int l2) {
            return 0;
        }

        @Override
        public int compare(final Object unusedA, final Object unusedB) {
            return 0;
        }
    }
}
