// For passes that draw nothing but depth.
void main() {
}
