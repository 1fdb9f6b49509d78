/**
 * What a host serves: finds map outputs, caches their open files and indices, and reads them ahead.
 */
package io.spillway.node;
