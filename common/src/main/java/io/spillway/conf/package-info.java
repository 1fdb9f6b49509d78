/** Typed settings: every property of Spillway in one place. */
package io.spillway.conf;
