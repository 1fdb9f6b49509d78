/** Sort buffer, key prefixes, radix sort and the loser-tree merge. */
package io.spillway.sort;
