/** The bytes that the network benchmark fetches again and again, and in which pieces. */
package io.spillway.bench.net.data;
