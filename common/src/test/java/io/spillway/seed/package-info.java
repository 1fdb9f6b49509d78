/** Seeds of tests that draw their data. */
package io.spillway.seed;
